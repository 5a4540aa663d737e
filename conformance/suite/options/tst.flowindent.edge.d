/* @@ args:  */
/* In the middle of the run. */
syscall::read:entry { setopt("flowindent"); }
syscall::read: { trace(arg0); }
