/* One entry a function, a module, a file; one an address for uaddr. */
syscall::read:entry { @s[sym(arg0)] = count(); @m[mod(arg0)] = count(); }
syscall::write:entry { @u[usym(arg0)] = count(); @f[umod(arg0)] = count(); @a[uaddr(arg0)] = count(); }
END { printa("%a %@d\n", @s); printa("%a %@d\n", @m); printa("%A %@d\n", @u); printa("%A %@d\n", @f); printa("%A %@d\n", @a); printa(@u); }
