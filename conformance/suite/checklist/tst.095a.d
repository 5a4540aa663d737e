BEGIN { self->a = 1; self->a = 0; trace(self->a); exit(0); }
