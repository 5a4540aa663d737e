BEGIN { trace(getmajor()); }
