/* @@ args: -q -x bufpolicy=fill */
/* Printed at the end, what BEGIN recorded first and what END recorded last. */
BEGIN { printf("begin\n"); }
syscall::read:entry { printf("%d\n", arg0); }
END { printf("end\n"); }
