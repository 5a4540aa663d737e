/* @@ args: -q -x nolibs */
/* psinfo_t is the library's. */
BEGIN { trace(sizeof (psinfo_t)); exit(0); }
