/* User memory through casts of copyin. */
syscall::read:entry { printf("%x", *(uint32_t *)copyin(arg1, 4)); }
