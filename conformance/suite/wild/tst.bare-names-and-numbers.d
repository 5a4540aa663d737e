/* A statement that is only a name or a number. */
self int x;
BEGIN { self->x; 1; pid; exit(0); }
