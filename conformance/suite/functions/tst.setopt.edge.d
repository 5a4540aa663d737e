/* What is set holds from the next value on; the row's beginning was quiet. */
/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
BEGIN { setopt("quiet"); trace(1); }
BEGIN { setopt("quiet", "off"); trace(2); exit(0); }
