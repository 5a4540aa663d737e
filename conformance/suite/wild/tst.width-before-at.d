/* The width of an aggregation on either side of the @. */
syscall::read:entry { @a = sum(7); }
END { printa("[%10@d][%@10d]\n", @a); }
