/* @@ args: -q -x argref */
/* @@ operands: unused */
BEGIN { printf("%d", 1); exit(0); }
