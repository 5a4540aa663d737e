/* The ternary as the only conditional, its arms being actions under a constant, or assignments. */
inline int OPT_t = 1;
inline int OPT_u = 0;
string MATCH;
BEGIN { MATCH = "cat"; }
syscall::read:entry { OPT_t ? printf("%d ", arg0) : 1; OPT_u ? printf("no") : 1; MATCH == execname ? self->ok = 1 : 1; }
syscall::read:return /self->ok/ { printf("ok"); }
