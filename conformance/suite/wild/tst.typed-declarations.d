/* Typed declarations before the clauses. */
self int depth;
this string s;
uint64_t last[dev_t, int];
BEGIN { this->s = "x"; self->depth++; last[1, 2] = 3; printf("%s %d %d", this->s, self->depth, last[1, 2]); exit(0); }
