BEGIN { copyout(1); }
