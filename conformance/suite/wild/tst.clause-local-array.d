/* An ordinary clause-local array. */
this int t[4];
BEGIN { this->t[1] = 7; printf("%d %d", this->t[1], this->t[2]); exit(0); }
