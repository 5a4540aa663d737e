/* @@ args: -x stackindent=3 */
syscall::read:entry { stack(2); }
syscall::read:entry { trace(arg0); ustack(1); trace("x"); }
