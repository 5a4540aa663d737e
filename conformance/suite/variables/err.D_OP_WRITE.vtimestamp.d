BEGIN { vtimestamp = 1; }
