/* @@ args: -q -x aggsortkey -x aggsortkeypos=2 */
/* @@ kernel: nonempty */
/* There is no third key. */
syscall::read:entry { @[arg0, -arg1] = count(); }
