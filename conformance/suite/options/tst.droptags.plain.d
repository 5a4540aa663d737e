/* @@ args: -q -x droptags */
BEGIN { x = speculation(); y = speculation(); printf("%d", y); exit(0); }
