/* Strings are bytes: ÿ is no character of UTF-8, and ôŸ¿ is one that nobody uses. */
BEGIN
{
	printf("%s|%S|aÿb|ôŸ¿ä|", "aÿb", "aÿbôŸ¿");
	printf("%d|%d|%x|", strlen("ÿş"), "aÿ" == "a\377", 'ä');
	printf("%s|%d|", strtok("aÿbÿc", "ÿ"), index("xyéz", "é"));
	@["ü"] = count();
	printa("%s %@d", @);
	exit(0);
}
