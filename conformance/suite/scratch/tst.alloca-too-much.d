/* @@ args: -q -x scratchsize=64 */
BEGIN { this->n = 65; this->p = alloca(this->n); printf("no"); }
BEGIN { this->p = alloca(60); this->q = alloca(8); printf("no"); }
BEGIN { this->z = (char *)alloca(0); printf("%d", *this->z); }
BEGIN { this->c = (char *)alloca(8); this->c[8] = 1; }
BEGIN { this->c = (char *)alloca(8); printf("%d", this->c[-1]); }
BEGIN { this->p = alloca(56); this->q = alloca(8); printf("fits\n"); exit(0); }
