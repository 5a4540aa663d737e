/* @@ args: -q -x flowindent */
syscall::read: { trace(arg0); }
