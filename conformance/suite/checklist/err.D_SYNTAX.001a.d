BEGIN { n = 1.5; }
