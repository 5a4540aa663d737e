/* @@ args: -F -x bufpolicy=fill */
/* The last record of each CPU is a return that another clause has, too: it is printed when nothing follows. */
syscall::getpid:return { printf("a"); }
syscall::getpid:return { printf("b"); }
syscall::getpid:return /arg0 == 3/ { exit(0); }
