/* Runtime spec §1.2: names are never cut. */
/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
sdt:::a_rather_long_name_of_a_probe_that_goes_on_and_on
{
}
