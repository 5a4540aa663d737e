BEGIN { trace(1); commit(speculation()); }
