BEGIN { trace(progenyof("a")); }
