/* The last exit counts, and of it the low eight bits. */
/* @@ status: 4 */
BEGIN { printf("x"); exit(-1); }
END { printf("y"); exit(260); }
