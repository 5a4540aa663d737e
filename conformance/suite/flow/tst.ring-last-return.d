/* @@ args: -F -x bufpolicy=ring */
syscall::getpid:return { printf("a"); }
syscall::getpid:return { printf("b"); }
