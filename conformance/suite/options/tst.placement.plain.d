/* @@ args: -q -x placement=user */
syscall::read:entry { @ = sum(arg1); }
