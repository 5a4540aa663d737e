/* @@ args: -q -x scratchsize=16 */
/* One more than there is. */
BEGIN { this->p = alloca(17); exit(0); }
