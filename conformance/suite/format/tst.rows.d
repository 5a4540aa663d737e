/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
BEGIN { }
BEGIN { x = 1; }
BEGIN { printf("hi\n"); exit(0); }
END { trace(2u); }
