BEGIN { trace("v\x4944"); exit(0); }
