/* Strings of global arrays are empty until something is stored, those of a thread NULL. */
/* @@ args: -q */
struct s { string n; };
struct t { string n[2]; };
string a[3];
struct s v[2];
struct t w;
self string mine[2];
BEGIN
{
	i = 1;
	printf("%d %d %d|", a[0] == NULL, a[0] == "", strlen(a[i]));
	printf("%d %d|", strlen(v[1].n), strlen(w.n[i]));
	a[2] = "text";
	w.n[0] = a[2];
	printf("%s %s %s|%d\n", a[2], w.n[0], strjoin(a[0], "x"), self->mine[1] == NULL);
}

syscall::read:entry
{
	printf("%d %s", strlen(a[1]), a[2]);
	a[1] = execname;
}

syscall::read:entry
{
	printf(" %s\n", a[1]);
}
