/* Runtime spec §1.1: whatever records data has a row, an empty body and exit() too. An aggregation without entries prints its newline. */
/* @@ args: -w */
/* @@ env: _DTRACE_TESTING=1 */
BEGIN { @a = sum(7); trunc(@a); }
syscall::write:entry {  }
syscall::write:entry { trace(1); }
syscall::write:entry { printf("p"); }
syscall::write:entry { printa(@a); }
syscall::write:entry { clear(@a); }
syscall::write:entry { normalize(@a, 2); }
syscall::write:entry { denormalize(@a); }
syscall::write:entry { trunc(@a); }
syscall::write:entry { setopt("quietresize"); }
syscall::write:entry { ftruncate(); }
syscall::write:entry { freopen(""); }
syscall::write:entry { raise(0); }
syscall::write:entry { tracemem(arg1, 1, 0); }
syscall::write:entry
{
}
syscall::write:entry { exit(0); }
