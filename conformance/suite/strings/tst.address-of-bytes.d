/* `&s[n]` points into a copy of the string, which has NULs behind its bytes. */
/* @@ args: -q -x scratchsize=400 */
BEGIN
{
	s = "hello, world";
	p = &s[7];
	i = 3;
	printf("%s %c %c %s|", stringof(p), *p, p[1], stringof(p - 7));
	printf("%d %d %d|", strlen(p), *&s[4], *&s[20]);
	printf("%s %s %s|", stringof(&s[i]), stringof(&*(s + 1)), stringof(&i[s] + 6));
	printf("%d %s\n", sizeof (&s[1]), strjoin(&s[7], &"abc"[1]));
	tracemem(&s[7], 4);
}

syscall::read:entry
{
	self->name = &execname[1];
	printf("%s\n", stringof(self->name));
}

syscall::read:entry
/execname == "work" && *(&execname[0]) == 'w'/
{
	@[stringof(&execname[arg0])] = count();
}

BEGIN { i = 1000; trace(*&s[i]); }
BEGIN { none = strtok("", "x"); trace(*&none[0]); }
BEGIN { trace(*&s[300]); }
BEGIN { trace(*&s[500]); }
ERROR { printf("%d %d\n", arg4, arg5); }
