/* A comment of C++. */
BEGIN { x = 1; // one
}
