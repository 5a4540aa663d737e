BEGIN { m = 1; } END { m = "s"; }
