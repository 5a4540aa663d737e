/* @@ args: -x stackframes=2 -x ustackframes=1 -q */
#pragma D option jstackframes=3
syscall::read:entry { stack(); ustack(); jstack(); stack(100); }
