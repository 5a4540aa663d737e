/* @@ args: -q -x zdefs */
/* What can match nothing must be right even so. */
nosuch:::probe { trace(nosuch); }
