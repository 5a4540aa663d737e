/* @@ args: -q -x evaltime=preinit -x evaltime=postinit -x evaltime=main */
/* Without a command there is nobody to stand anywhere. */
BEGIN { printf("%d", 1); exit(0); }
