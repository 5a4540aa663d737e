/* What tracemem records counts as what strings do: 16 + 2 * (8 + 3000) bytes are more than 4096. */
/* @@ args: -q -b 4k */
/* @@ status: 1 */
syscall::read:entry
{
	tracemem(arg1, 3000);
	tracemem(arg1, 3000);
}
