BEGIN { uaddr("a"); }
