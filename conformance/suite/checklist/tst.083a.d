int x[int][3]; BEGIN { x[7][2] = 1; trace(x[7][2]); exit(0); }
