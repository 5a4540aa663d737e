/* The width of %k: blanks before each frame if it is to the left, else each frame is made that wide. */
syscall::read:entry { self->s = stack(2); printf("%k|%-3k|%20k|%.7k|\n", self->s, self->s, self->s, self->s); }
syscall::read:entry { @[stack(2), pid] = count(); @u[ustack(1), self->s] = sum(2); }
END { printa("%k %d %@d\n", @); printa("%-20k %d %@d\n", @); printa("%60k %d %@d\n", @); printa("%-2k%2k%@u\n", @u); }
