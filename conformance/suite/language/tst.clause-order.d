/* this-> lives through all clauses of one firing, whatever their predicates say. */
/* @@ kernel: nonempty */
syscall::read:entry { this->n = 1; }
syscall::read:entry /arg0 == 2/ { this->n = this->n * 10 + 2; }
syscall::read:entry { this->n = this->n * 10 + 3; printf("%d\n", this->n); }
