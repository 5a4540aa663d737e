/* @@ args: -q -x aggsortrev */
/* @@ kernel: nonempty */
/* Aggregations themselves come in reverse, too. */
syscall::read:entry { @a = sum(arg0); @b = sum(arg1); }
