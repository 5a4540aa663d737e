/* @@ args: -q -x destructive -x destructive=no */
/* @@ status: 1 */
/* Off again. */
BEGIN { system("true"); exit(0); }
