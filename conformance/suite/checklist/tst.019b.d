/* @@ args: -q -x defaultargs */
BEGIN { trace($1); exit(0); }
