/* @@ args: -q -x unwind=dwarf -x unwind=fp */
BEGIN { printf("%d", 1); exit(0); }
