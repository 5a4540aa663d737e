/* @@ args: -q -x statusrate=100ms */
BEGIN { x = speculation(); y = speculation(); printf("%d", y); exit(0); }
