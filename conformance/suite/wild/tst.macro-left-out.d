/* Macro arguments left out. */
#pragma D option defaultargs
BEGIN { printf("%d ", $1 == 0 ? 10 : $1); }
BEGIN /$$1 == "" || $$1 == execname/ { printf("all"); exit(0); }
