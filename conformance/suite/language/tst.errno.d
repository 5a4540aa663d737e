/* @@ kernel: nonempty */
syscall::read:return /errno/ { @[errno, arg0] = count(); }
syscall::read:return /!errno/ { @ok = sum(arg0); }
syscall::read:entry { @entry = sum(errno); }
