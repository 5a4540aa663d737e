BEGIN { system(1); }
