/* @@ args: -F -x temporal */
/* Behind a return that waits for its CPU another CPU prints an aggregation as it stands then. */
syscall::read:entry { @ = count(); }
syscall::read:return /arg0 == 1/ { printf("r1"); }
syscall::read:return /arg0 == 2/ { printf("r2"); }
syscall::write:entry { printa("n=%@d", @); }
