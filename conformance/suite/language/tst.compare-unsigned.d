/* The wider unsigned type makes the comparison unsigned. */
/* @@ kernel: nonempty */
syscall::read:entry /(uint64_t)arg0 < 5/ { @["below"] = count(); }
syscall::read:entry /(uint64_t)arg0 >= 5/ { @["above"] = count(); }
syscall::read:entry /(uint64_t)arg0 > 9223372036854775807/ { @["huge"] = count(); }
