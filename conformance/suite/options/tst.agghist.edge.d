/* @@ args: -q -x agghist */
/* @@ kernel: nonempty */
/* It is for counts and sums: a histogram stays what it is. */
syscall::read:entry { @ = quantize(arg0); }
