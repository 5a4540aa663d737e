/* @@ kernel: nonempty */
syscall::read:entry { printf("%d %d %a %x %x\n", stackdepth, ustackdepth, caller, caller, ucaller); @[stackdepth, ucaller] = count(); }
