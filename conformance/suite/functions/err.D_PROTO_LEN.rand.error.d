BEGIN { trace(rand(1)); }
