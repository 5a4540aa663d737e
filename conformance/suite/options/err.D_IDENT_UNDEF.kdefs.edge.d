/* @@ args: -q -x kdefs */
/* A symbol that nobody has. */
BEGIN { trace(`no_such_symbol_of_any_kernel); }
