/* @@ args: -q -x linkmode=static -x linkmode=dynamic */
BEGIN { printf("%d", 1); exit(0); }
