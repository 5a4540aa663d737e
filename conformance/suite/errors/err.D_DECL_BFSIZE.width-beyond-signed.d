struct s { unsigned long a : 18446744073709551615u; }; BEGIN {}
