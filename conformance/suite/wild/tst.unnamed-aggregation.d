/* Aggregations without a name, with and without keys. */
syscall:::entry { @ = count(); @k[probefunc] = count(); }
END { printa(@); printa("%s %@d\n", @k); }
