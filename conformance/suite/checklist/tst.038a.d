BEGIN { trace(arg7); exit(0); }
