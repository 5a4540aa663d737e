/* @@ args: -q -x strsize=2 */
/* The least. */
BEGIN { printf("%s", strjoin("abc", "def")); exit(0); }
