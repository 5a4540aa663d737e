/* @@ args: -qw */
BEGIN { chill("x"); }
