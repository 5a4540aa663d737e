/* @@ args: -x switchrate=1s */
BEGIN { } BEGIN { exit(0); }
