/* @@ args: */
/* @@ env: _DTRACE_TESTING=1 */
syscall::read:entry /arg0 == 1/ { setopt("flowindent"); }
syscall::read:entry { trace(arg0); }
syscall::read:return { }
