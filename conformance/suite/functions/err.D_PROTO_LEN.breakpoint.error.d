/* @@ args: -qw */
BEGIN { breakpoint(1); }
