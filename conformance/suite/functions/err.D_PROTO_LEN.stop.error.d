/* @@ args: -qw */
BEGIN { stop(1); }
