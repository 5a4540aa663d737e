syscall::read:entry { @a[stack(1)] = count(); @b[stack(1)] = sum(arg0); }
END { printa("%k%@d %@d\n", @a, @b); printa(@a, @b); }
