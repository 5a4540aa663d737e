/* @@ kernel: nonempty */
syscall::read:entry { stack(); stack(2); ustack(); ustack(1); }
syscall::read:entry /arg0 == 2/ { jstack(); }
