/* @@ args: -F */
/* Several clauses indent once, and un-indent once: the last one does. */
syscall::read:entry { }
syscall::read:entry { trace(1); }
syscall::read:return { trace(2); }
syscall::read:return { trace(3); }
syscall::write:entry { }
