BEGIN { trace(mutex_owned((struct mutex *)0)); }
