BEGIN { @ = max(1, 2); }
