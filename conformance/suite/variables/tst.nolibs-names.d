/* @@ args: -q -x nolibs */
/* Without libraries their names are a program's own. */
inline int SIGKILL = 90;
enum states { SRUN = 7 };
BEGIN { NULL = 4; printf("%d %d %d", SIGKILL, SRUN, NULL); exit(0); }
