/* printa without a format. */
syscall::read:entry { @ = count(); }
END { printa(@); }
