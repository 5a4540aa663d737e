BEGIN { ustack(5, pid); }
