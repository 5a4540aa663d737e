/* @@ args: -q -x errtags */
/* Messages of the run have none. */
BEGIN { trace(*(int *)0); }
BEGIN { exit(0); }
