/* @@ args: -q -x nspec=2 */
syscall::write:entry
{
	printf("%d %d", speculation(), speculation());
}
