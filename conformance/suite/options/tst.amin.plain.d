/* @@ args: -q -x amin=Stable/Stable/Common */
dtrace:::BEGIN { printf("%d", 1); exit(0); }
