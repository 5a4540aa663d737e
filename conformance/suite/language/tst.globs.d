/* @@ kernel: nonempty */
syscall::re*:entry { @["re*"] = count(); }
syscall::[ow]*:entry { @["[ow]*"] = count(); }
syscall::?????:entry { @["?????"] = count(); }
syscall::[!c]*:return { @["[!c]*:return"] = count(); }
syscall:::return { @["return"] = count(); }
:::entry { @["entry"] = count(); }
