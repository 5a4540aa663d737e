/* A macro behind a backslash. */
ruby\$target:::x { }
