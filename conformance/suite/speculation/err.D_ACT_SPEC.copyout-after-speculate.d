BEGIN { speculate(1); copyout((void *)arg0, arg1, 1); }
