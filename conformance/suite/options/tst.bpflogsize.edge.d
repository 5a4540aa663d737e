/* @@ args: -q -x bpflog -x bpflogsize=0 */
BEGIN { printf("%d", 1); exit(0); }
