inline int n = "x";
