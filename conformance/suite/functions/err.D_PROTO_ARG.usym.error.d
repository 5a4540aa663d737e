BEGIN { usym("a"); }
