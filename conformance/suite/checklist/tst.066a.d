BEGIN { trace("abc" < "abd"); trace("" == NULL); exit(0); }
