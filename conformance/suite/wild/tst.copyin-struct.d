/* A structure in user memory. */
struct in { uint16_t family; uint16_t port; };
syscall::read:entry { printf("%x", ((struct in *)copyin(arg1, arg2))->port); }
