/* @@ operands: '"q"' */
BEGIN { trace($1); exit(0); }
