/* @@ args: -q -x inlined */
/* Made-up processes have no inlined functions; the tests of live symbols show some. */
syscall::read:entry { ustack(2); }
