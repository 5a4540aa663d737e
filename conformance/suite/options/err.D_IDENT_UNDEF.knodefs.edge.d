/* @@ args: -q -x knodefs -x kdefs */
/* The last one counts. */
BEGIN { trace(`no_such_symbol_of_any_kernel); }
