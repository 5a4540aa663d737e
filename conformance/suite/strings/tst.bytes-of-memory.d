/* @@ kernel: nonempty */
syscall::openat:entry /copyinstr(arg1) == "/tmp/café"/ { printf("%s", copyinstr(arg1)); }
