BEGIN { @ = count(); @_ = count(); printa(@); trunc(@); exit(0); }
