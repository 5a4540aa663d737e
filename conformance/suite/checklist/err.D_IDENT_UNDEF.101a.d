BEGIN { trace(`ghost_sym); }
