syscall::read:entry { @[stack(1), execname] = count(); }
END { printa("%k|%s %@d\n", @); }
