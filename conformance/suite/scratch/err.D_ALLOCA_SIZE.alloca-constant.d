BEGIN { this->b = alloca(1000); }
