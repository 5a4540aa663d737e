/* Objects and arrays by path; NULL if there is nothing. */
inline string text = "{\"a\":{\"b\":[10,\"x\"]},\"t\":true}";
BEGIN
{
	printf("%s|%s|%s|%s\n", json(text, "a.b[1]"), json(text, "a.b[0]"), json(text, "a.b"), json(text, "t"));
	printf("%d %d %d\n", json(text, "z") == NULL, json("{\"a\":", "a") == NULL, json("", "") == NULL);
	exit(0);
}
