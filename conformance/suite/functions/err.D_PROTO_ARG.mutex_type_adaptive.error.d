BEGIN { trace(mutex_type_adaptive("a")); }
