/* A translation by hand. */
struct pair { int first; int second; };
struct out { int sum; };
translator struct out < struct pair *P > { sum = P->first + P->second; };
syscall::read:entry { printf("%d", xlate <struct out *>((struct pair *)copyin(arg1, 8))->sum > 0); }
