/* @@ args: -q -x knodefs */
/* It need not be there, and is read nowhere. */
extern int no_such_symbol_of_any_kernel;
BEGIN /0/ { trace(`no_such_symbol_of_any_kernel); }
BEGIN { printf("%d", 1); exit(0); }
