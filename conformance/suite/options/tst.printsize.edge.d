/* @@ args: -q -x printsize=9 */
/* Rounded up to 8. */
struct t { int64_t a; int64_t b; };
BEGIN { this->p = (struct t *)alloca(16); this->p->a = 1; this->p->b = 2; print(this->p); exit(0); }
