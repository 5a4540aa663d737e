/* Runtime spec §1.3: the first entry or return in a name must be a word at its end; a return too many does not indent below nothing. */
/* @@ args: -F */
sdt:m:: { }
