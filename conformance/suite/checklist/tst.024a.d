/* @@ operands: 12ab */
BEGIN { trace($1); exit(0); }
