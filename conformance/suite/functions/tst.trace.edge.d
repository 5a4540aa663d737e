/* The least and the most of each width; a pointer in decimal; an empty string, and bytes as they are. */
BEGIN
{
	trace((char)-1);
	trace(",");
	trace((unsigned char)255);
	trace(",");
	trace((short)-32768);
	trace(",");
	trace(4294967295u);
	trace(",");
	trace(-9223372036854775807 - 1);
	trace(",");
	trace((void *)-1);
	trace(",");
	trace("");
	trace("\001\n");
	exit(0);
}
