BEGIN /self->q/ { self->q = 1; trace("ran"); } BEGIN { exit(0); }
