struct ghost *g; BEGIN { trace(g->x); }
