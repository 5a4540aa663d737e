BEGIN { printf("%s", inet_ntoa(NULL)); }
BEGIN { this->a = (char *)alloca(24); printf("%s", link_ntop(7, this->a)); }
BEGIN { this->v = alloca(16); printf("%s", inet_ntop(3, this->v)); }
BEGIN { this->i = (ipaddr_t *)alloca(2); printf("%s", inet_ntoa(this->i + 2)); }
BEGIN { exit(0); }
