/* @@ args: -q -x linktype=elf */
BEGIN { printf("%d", 1); exit(0); }
