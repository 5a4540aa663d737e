/* @@ kernel: nonempty */
/* A string that nothing was assigned to: empty where it is global or clause-local, NULL where it is dynamic. */
string g;
this string t;
self string s;
string a[int];

syscall::read:entry
{
	printf("g %d %d %d\n", g == NULL, g == "", strlen(g));
	printf("t %d %d %d\n", this->t == NULL, this->t == "", strlen(this->t));
	printf("s %d %d\n", self->s == NULL, self->s == "");
	printf("a %d %d\n", a[1] == NULL, a[1] == "");
	this->t = "set";
}

syscall::read:entry
/g == ""/
{
	@empty = count();
	g = "set";
}

syscall::read:entry
/g == "set" && this->t == "set"/
{
	@set = count();
}
