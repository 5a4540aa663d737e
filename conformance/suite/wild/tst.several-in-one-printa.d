/* Several aggregations in one printa, each with a width. */
syscall:::entry { @a[probefunc] = count(); @b[probefunc] = sum(arg2); }
END { printa("%-20s %@8d %@8d\n", @a, @b); }
