/* A conversion of one vendor. */
BEGIN { printf("%I", 1); }
