/* @@ args: -q -x stackframes=0 */
/* A stack without frames is one all the same, and is no other stack; a number says otherwise. */
/* @@ kernel: nonempty */
syscall::read:entry { @[stack()] = count(); stack(); stack(1); }
