BEGIN { this->b = alloca(); }
