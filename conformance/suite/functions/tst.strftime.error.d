/* @@ args: -q -x strict=no */
BEGIN { trace(strftime(NULL, 0)); }
BEGIN { exit(0); }
