/* @@ string: n */
syscall::nosuch:entry
