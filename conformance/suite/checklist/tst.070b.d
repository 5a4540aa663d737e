int a[4]; BEGIN { i = 9; trace(a[i]); } BEGIN { exit(0); } ERROR { printf("E%d", arg4); }
