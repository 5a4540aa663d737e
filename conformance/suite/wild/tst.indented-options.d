/* Pragmas that are indented, and have units. */
/* @@ args:  */
   #pragma D option quiet
	#pragma D option dynvarsize=16m
  #pragma D option switchrate=10hz
#pragma	D	option	strsize=1024
BEGIN { printf("%d", sizeof (string)); exit(0); }
