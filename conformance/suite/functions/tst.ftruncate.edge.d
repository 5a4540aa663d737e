/* A pipe keeps what it has. */
BEGIN { printf("a"); ftruncate(); printf("b"); exit(0); }
