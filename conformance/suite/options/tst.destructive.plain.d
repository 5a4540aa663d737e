/* @@ args: -q -x destructive */
BEGIN { system("true"); printf("%d", 1); exit(0); }
