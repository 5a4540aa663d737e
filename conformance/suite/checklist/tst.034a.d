/* @@ string: n */
/* @@ args: -q -n "BEGIN { exit(0); }" */
BEGIN
