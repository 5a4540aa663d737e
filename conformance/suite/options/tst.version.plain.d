/* @@ args: -q -x version=1.0 */
BEGIN { printf("%s", strjoin("a", "b")); exit(0); }
