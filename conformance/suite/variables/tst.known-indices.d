/* An index that is known beforehand but is no constant expression is held to the length like any computed one. */
/* @@ args: -q */
int arr[3];
struct s { int a; int b; };
struct s v[3];
self int sa[3];
this int ta[3];
inline int el[int k] = arr[k];
BEGIN { arr[(1, 2)] = 7; trace(el[2]); }
BEGIN { trace(el[3]); }
BEGIN { trace(el[-1]); }
BEGIN { arr[(1, 3)] = 5; }
BEGIN { trace(v[(1, 3)].a); }
BEGIN { self->sa[(1, 4)] = 1; }
BEGIN { trace(this->ta[(1, 5)]); }
BEGIN { trace(*(arr + (1, 6))); }
syscall::read:entry { trace(el[8]); }
ERROR { printf(" %d %d\n", arg4, arg5); }
