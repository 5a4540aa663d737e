/* @@ args: -q -x aggsize=64 */
/* @@ kernel: nonempty */
/* Two entries of 16 + 8 + 8 bytes. */
syscall::read:entry { @[arg0] = count(); }
