/* @@ args: -q -x bufpolicy=switch */
/* What was recorded on another CPU goes to the buffer of that one when it is committed. */
syscall::read:entry { s = speculation(); }
syscall::read: { speculate(s); printf("spec t%d on %d ", timestamp / 1000000, cpu); }
syscall::write: { printf("w t%d on %d ", timestamp / 1000000, cpu); }
syscall::getpid:entry { commit(s); }
