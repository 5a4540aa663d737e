/* @@ args: -q -x demangle */
syscall::read:entry { /* Names of made-up events are printed as they are given; the tests of live symbols show the others. */ usym(0x401080); }
