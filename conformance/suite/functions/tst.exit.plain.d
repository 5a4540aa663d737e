/* @@ status: 3 */
BEGIN { printf("x"); exit(3); }
BEGIN { printf("not this"); }
END { printf("y"); }
