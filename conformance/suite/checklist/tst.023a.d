/* @@ args: -e */
/* @@ operands: prio */
BEGIN { trace(curthread->$1); }
