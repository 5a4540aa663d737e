BEGIN { x = sym(caller); }
