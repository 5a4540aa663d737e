/* @@ engines: interp jit */
ERROR { trace(*(int *)0); } BEGIN { trace(*(int *)0); } BEGIN { exit(0); }
