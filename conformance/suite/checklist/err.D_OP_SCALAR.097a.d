BEGIN { if (execname) { } }
