BEGIN { this->v[1] = 2; }
