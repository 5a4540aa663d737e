/* A comment of another language. */
# a comment
BEGIN { }
