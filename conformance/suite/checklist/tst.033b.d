/* @@ string: i */
/* @@ args: -q -n "BEGIN { trace(id); exit(0); }" */
1
