/* @@ args: -q -x strict=no */
BEGIN { trace(strerror("a")); }
