BEGIN { this->a = (struct in6_addr *)alloca(16); this->n = 1; trace(inet_ntoa6(this->a, this->n)); }
