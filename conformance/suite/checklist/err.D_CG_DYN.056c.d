struct s { int a; int b; }; translator struct s < int i > { a = i; }; BEGIN { xlate<struct s>(3); }
