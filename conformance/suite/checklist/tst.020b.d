/* @@ operands: 1 2 */
BEGIN { trace($2); exit(0); }
