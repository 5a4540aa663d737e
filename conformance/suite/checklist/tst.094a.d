BEGIN { this->n = 5; } BEGIN /this->n == 5/ { trace("yes"); exit(0); }
