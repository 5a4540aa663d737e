/* The unnamed aggregation with keys, one of them a stack. */
/* @@ args: -e */
syscall:::entry { this->us = 5; @[probefunc, ustack(5)] = quantize(this->us); }
