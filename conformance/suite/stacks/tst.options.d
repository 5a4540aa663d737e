/* The depth of each kind of stack, the bytes of its names, the blanks before a frame; in flow mode, too. */
/* @@ args: -F -x stackframes=2 -x ustackframes=3 -x jstackframes=1 -x jstackstrsize=6 -x stackindent=1 */
syscall::read:entry { stack(); ustack(); jstack(); }
syscall::read:return { jstack(2); jstack(2, 64); }
