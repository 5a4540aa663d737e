/* @@ args: -q -x scratchsize=1k */
BEGIN { this->p = alloca(1024); printf("%d", this->p != 0); exit(0); }
