/* @@ args: -q -x zdefs */
nosuch:::probe { }
BEGIN { printf("%d", 1); exit(0); }
