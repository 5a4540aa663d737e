/* Bytewise and unsigned; a longer string sorts after its prefix. */
/* @@ kernel: nonempty */
syscall::openat:entry /copyinstr(arg1) == "mid"/ { @["=="] = count(); }
syscall::openat:entry /copyinstr(arg1) != "mid"/ { @["!="] = count(); }
syscall::openat:entry /copyinstr(arg1) < "mid"/ { @["<"] = count(); }
syscall::openat:entry /copyinstr(arg1) <= "mid"/ { @["<="] = count(); }
syscall::openat:entry /copyinstr(arg1) > "mid"/ { @[">"] = count(); }
syscall::openat:entry /"mid" <= copyinstr(arg1)/ { @["mid <="] = count(); }
