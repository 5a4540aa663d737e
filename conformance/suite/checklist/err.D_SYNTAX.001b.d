BEGIN { n = 0b11; }
