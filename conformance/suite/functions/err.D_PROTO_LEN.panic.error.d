/* @@ args: -qw */
BEGIN { panic(1); }
