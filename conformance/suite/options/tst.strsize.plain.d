/* @@ args: -q -x strsize=8 */
BEGIN { printf("%s", strjoin("abcdef", "ghijkl")); exit(0); }
