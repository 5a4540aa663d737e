/* @@ args: -q -x rawbytes */
BEGIN { trace(0x41424344); exit(0); }
