BEGIN { bcopy((void *)0, (void *)1, 2); }
