/* @@ args: -qw */
BEGIN { raise("KILL"); }
