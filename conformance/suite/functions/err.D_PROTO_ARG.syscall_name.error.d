/* @@ args: -q -x strict=no */
BEGIN { trace(syscall_name("read")); }
