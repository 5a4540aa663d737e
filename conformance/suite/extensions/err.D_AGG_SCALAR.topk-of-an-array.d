/* @@ args: -q -x strict=no */
struct t { char c[4]; };
BEGIN { this->t = (struct t *)alloca(8); @ = topk(3, this->t->c); exit(0); }
