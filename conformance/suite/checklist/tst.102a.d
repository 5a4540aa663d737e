/* @@ string: n */
/* @@ args: -q -n "BEGIN { g = 1; exit(0); }" */
END { trace(g); }
