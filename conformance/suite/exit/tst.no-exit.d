/* @@ kernel: nonempty */
syscall::read:entry { @ = count(); }
