BEGIN { stack("a"); }
