/* Runtime spec §19, line 19. */
/* @@ args: */
BEGIN { trace((char)-1); trace((short)7); trace(-1LL); exit(0); }
