BEGIN { @ = sum("x"); }
