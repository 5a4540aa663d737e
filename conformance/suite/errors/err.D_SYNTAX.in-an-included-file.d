# 1 "h.h" 1
int a;

int b c;
# 2 "CASE" 2
BEGIN { }
