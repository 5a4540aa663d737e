BEGIN { ufunc("a"); }
