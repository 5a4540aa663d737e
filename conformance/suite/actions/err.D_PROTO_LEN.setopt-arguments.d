BEGIN { setopt("a", "b", "c"); }
