BEGIN { x = 1; self->x = "a"; this->x = 2; @x = count(); trace(x); trace(self->x); trace(this->x); trunc(@x); exit(0); }
