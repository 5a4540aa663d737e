/* @@ args: -e */
BEGIN { trace(&curthread->prio); }
