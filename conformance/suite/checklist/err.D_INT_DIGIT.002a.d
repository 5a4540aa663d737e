BEGIN { n = 0779; }
