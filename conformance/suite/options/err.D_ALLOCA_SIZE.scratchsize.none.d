/* @@ args: -q -x scratchsize=0 */
BEGIN { this->p = alloca(1); exit(0); }
