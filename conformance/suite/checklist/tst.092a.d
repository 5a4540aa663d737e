BEGIN { x = 1; y = *(int *)0; x = 2; } BEGIN { exit(0); } END { trace(x); }
