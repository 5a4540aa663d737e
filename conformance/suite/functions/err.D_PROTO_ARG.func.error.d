BEGIN { func("a"); }
