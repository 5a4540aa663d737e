/* An inline with parameters. */
inline string name[int n] = n == 0 ? "zero" : "many";
BEGIN { printf("%s %s", name[0], name[7]); exit(0); }
