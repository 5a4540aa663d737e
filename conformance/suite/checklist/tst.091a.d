BEGIN { trace(1); trace(*(int *)0); } ERROR { printf("E%d", arg4); } BEGIN { trace(2); exit(0); }
