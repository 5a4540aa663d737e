/* Strings of 19 000 bytes: read, kept, compared, cut and joined, as keys and in what is recorded. */
/* @@ kernel: nonempty */
/* @@ args: -q -x strsize=20000 */
syscall::write:entry
{
	self->text = copyinstr(arg0);
	@[copyinstr(arg0)] = count();
	global = self->text;
}
syscall::write:return
/self->text == global/
{
	printf("%d %s %s\n", strlen(self->text), substr(self->text, 18997), strlen(basename(self->text)) == 18989 ? "base" : "?");
	this->two = strjoin(self->text, "/end");
	printf("%d %s\n", strlen(this->two), substr(this->two, 18998));
	self->text = 0;
}
syscall::write:return
/self->text == NULL/
{
	printa("%@d\n", @);
}
