/* @@ args: -q -x aggzoom */
/* @@ kernel: nonempty */
/* One bar fills 38 of 40 cells. */
syscall::read:entry { @ = quantize(1); }
