/* Without a stack there is a newline and nothing else. */
BEGIN { stack(); ustack(); usym(0x401000); trace(stackdepth); trace(ustackdepth); trace(caller); trace(ucaller); }
syscall::read:entry { stack(); @[ustack()] = count(); }
