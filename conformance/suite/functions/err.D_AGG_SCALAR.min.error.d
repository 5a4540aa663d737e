BEGIN { @ = min("x"); }
