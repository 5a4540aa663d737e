dtrace:::[BE]* { printf("%s ", probename); } BEGIN { exit(0); }
