/* No semicolon after the last statement. */
syscall::read:entry { trace(arg0) }
