BEGIN { trace("ab\0cd"); trace(strlen("ab\0cd")); exit(0); }
