BEGIN, BEGIN { trace(1); } END { } BEGIN { exit(0); }
