/* @@ args: -q -x strsize=8 */
syscall::write:entry
{
	printf("%s|%s|%s|%s\n", strjoin("", ""), strjoin("a", ""), strjoin("", "b"), strjoin("abcde", "fghij"));
}
