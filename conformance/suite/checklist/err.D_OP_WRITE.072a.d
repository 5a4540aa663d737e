BEGIN { curthread->prio = 1; }
