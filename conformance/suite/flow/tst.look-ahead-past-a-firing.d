/* @@ args: -F */
/* The next record of the CPU is of the same probe and another clause: only that one un-indents. */
syscall::read:entry { }
syscall::read:return /arg0 == 1/ { trace(1); }
syscall::read:return /arg0 == 2/ { trace(2); }
