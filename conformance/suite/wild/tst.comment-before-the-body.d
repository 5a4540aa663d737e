/* Comments between the probes, the predicate and the body. */
syscall::read:entry /* each */ { printf("a"); }
syscall::read:return /* each */ /1/ /* more */ { printf("b"); }
