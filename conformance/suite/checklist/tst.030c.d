/* @@ args: -q -Z */
ghost:::x { } BEGIN { trace(1); exit(0); }
