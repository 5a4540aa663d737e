/* Dates, escaped strings and addresses, with and without widths. */
BEGIN { printf("[%-22Y][%Y][%S]\n", (int64_t)0, (int64_t)0, "a\tb"); exit(0); }
