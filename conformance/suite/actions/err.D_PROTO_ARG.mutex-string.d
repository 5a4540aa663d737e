BEGIN { trace(mutex_owned("a")); }
