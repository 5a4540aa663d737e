BEGIN { system("%s"); }
