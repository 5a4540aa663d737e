BEGIN { trace(strlen(0)); } BEGIN { exit(0); } ERROR { printf("E%d", arg4); }
