/* @@ args: -q -S -x verbose */
/* Once, though -S asks for it, too. */
BEGIN { printf("%d", 1); exit(0); }
