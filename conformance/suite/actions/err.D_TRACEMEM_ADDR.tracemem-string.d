BEGIN { tracemem("abc", 2); }
