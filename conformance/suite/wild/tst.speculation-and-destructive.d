/* Speculation and destructive actions. */
/* @@ args: -e -w */
BEGIN { self->s = speculation(); speculate(self->s); trace(1); }
END { commit(self->s); }
BEGIN { system("date"); stop(); raise(9); }
