/* @@ args: -q -x stackindent=4 */
syscall::read:entry { stack(1); }
