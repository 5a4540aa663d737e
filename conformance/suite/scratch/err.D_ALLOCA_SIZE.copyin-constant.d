syscall::write:entry { this->b = copyin(arg1, 1000); }
