BEGIN { n += 1; }
