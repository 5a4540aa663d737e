BEGIN { z = 0; trace(7 / z); } BEGIN { exit(0); } ERROR { printf("E%d", arg4); }
