BEGIN { trace(k); } BEGIN { k = 1; }
