BEGIN { speculate(1); system("true"); }
