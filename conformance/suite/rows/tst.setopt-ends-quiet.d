/* A row after `setopt` shows the CPU that it is of. */
syscall::read:return { setopt("quiet", "off"); trace(7); }
syscall::read:return { trace(8); }
syscall::read:return { trace(9); }
