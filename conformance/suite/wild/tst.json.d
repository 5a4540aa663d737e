/* json of a string. */
/* @@ args: -e */
syscall::read:entry { printf("%s", json(copyinstr(arg1), "ok")); }
