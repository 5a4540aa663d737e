BEGIN { @ = stddev(execname); }
