/* @@ args: -q -x rawbytes -x strsize=8 */
BEGIN { trace((char)1); trace((short)-2); trace(0x01020304); trace("abc"); printf("%d\n", 5); exit(0); }
