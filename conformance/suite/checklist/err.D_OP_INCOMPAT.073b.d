BEGIN { trace(pid ? "x" : 2); }
