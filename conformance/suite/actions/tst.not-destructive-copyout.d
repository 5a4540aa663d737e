/* @@ status: 1 */
syscall::write:entry { copyout((void *)arg0, arg1, 1); }
