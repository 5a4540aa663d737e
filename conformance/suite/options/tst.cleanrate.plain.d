/* @@ args: -q -x cleanrate=1ms */
/* A number is busy for a millisecond. */
syscall::read:entry { this->s = speculation(); printf("%d ", this->s); discard(this->s); }
