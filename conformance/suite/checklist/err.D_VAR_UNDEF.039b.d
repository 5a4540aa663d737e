BEGIN { x = self->y; }
