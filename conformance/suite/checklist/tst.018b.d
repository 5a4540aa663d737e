/* @@ operands: pid */
BEGIN { trace($1 == pid); exit(0); }
