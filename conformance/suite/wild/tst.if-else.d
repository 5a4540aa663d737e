/* if and else. */
syscall:::entry { if (arg0 > 2) { @big = count(); } else { @small = count(); } }
END { printa("%@d ", @big); printa("%@d", @small); }
