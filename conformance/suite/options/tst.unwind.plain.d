/* @@ args: -q -x unwind=dwarf */
BEGIN { printf("%d", 1); exit(0); }
