/* @@ operands: "a b" */
BEGIN { trace($1); exit(0); }
