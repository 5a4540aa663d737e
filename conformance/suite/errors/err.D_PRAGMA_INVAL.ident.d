#ident "accepted"
#pragma ident "accepted"
#pragma D ident "x"
BEGIN { }
