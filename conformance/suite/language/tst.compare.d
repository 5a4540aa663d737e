/* @@ kernel: nonempty */
syscall::read:entry /arg0 < arg1/ { @["lt"] = count(); }
syscall::read:entry /arg0 <= arg1/ { @["le"] = count(); }
syscall::read:entry /arg0 > arg1/ { @["gt"] = count(); }
syscall::read:entry /arg0 >= arg1/ { @["ge"] = count(); }
syscall::read:entry /arg0 == arg1/ { @["eq"] = count(); }
syscall::read:entry /arg0 != arg1/ { @["ne"] = count(); }
