/* Addresses as symbols, with a width. */
/* @@ args: -e */
BEGIN { printf("%-40a|%a", 0, 0); }
