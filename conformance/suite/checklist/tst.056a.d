struct s { int a; int b; }; translator struct s < int i > { a = i; }; BEGIN { trace(xlate<struct s>(3).a); exit(0); }
