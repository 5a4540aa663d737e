inline string text = "{\"a\":{\"b\":[10,{\"c\":\"x\\ny\"}]},\"n\":null,\"t\":true,\"e\":\"\"}";
syscall::write:entry
{
	printf("%s|%s|%s\n", json(text, "a.b[0]"), json(text, "a.b"), json(text, "t"));
}
