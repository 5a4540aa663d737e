/* @@ args: */
BEGIN { this->p = (char *)alloca(8); tracemem(this->p, 2); trace(5); exit(0); }
