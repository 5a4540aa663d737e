/* One- and two-byte keys print unsigned, wider ones signed. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[(char)arg0, (unsigned char)arg0, (short)arg0, (unsigned short)arg0, (int)arg0, (unsigned int)arg0] = count();
	printf("%d %d %d %d %d %u\n", (char)arg0, (unsigned char)arg0, (short)arg0, (unsigned short)arg0, (int)arg0,
	    (unsigned int)arg0);
}
