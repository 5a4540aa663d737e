/* Macros of the preprocessor that expand to whole clauses. */
/* @@ args: -q -C */
#define TRACE(p) p:entry { self->t = timestamp; } p:return /self->t/ { printf("%d", timestamp - self->t); }
#include <asm/errno.h>
#if 1
TRACE(syscall::read)
#endif
