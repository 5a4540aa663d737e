BEGIN { trace(progenyof("x")); }
