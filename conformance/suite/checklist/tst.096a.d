BEGIN { if (0) trace("a"); else if (1) trace("b"); else trace("c"); trace("d") } BEGIN { exit(0); }
