/* @@ args: -q -x aggsortkeypos=1 */
/* @@ kernel: nonempty */
syscall::read:entry { @[arg0, -arg1] = count(); }
