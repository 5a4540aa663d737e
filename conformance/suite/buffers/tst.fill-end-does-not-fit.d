/* @@ args: -q -x bufpolicy=fill -b 4k -x strsize=1000 */
/* @@ status: 1 */
END
{
	printf("%s%s%s", "a", "b", "c");
}
END
{
	printf("%s%s%s", "a", "b", "c");
}
