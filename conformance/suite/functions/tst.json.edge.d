/* Escapes stay; the empty string; what is not there; a text that is cut off. */
inline string text = "{\"a\":{\"b\":[10,{\"c\":\"x\\ny\"}]},\"n\":null,\"t\":true,\"e\":\"\"}";
syscall::write:entry
{
	printf("%s|%s|%s|%d|%d|%d|%d\n", json(text, "a.b[1].c"), json(text, "n"), json(text, "e"), json(text, "a.b[2]") == NULL, json(text, "a.z") == NULL, json("[1,", "[1]") == NULL, json("", "a") == NULL);
}
