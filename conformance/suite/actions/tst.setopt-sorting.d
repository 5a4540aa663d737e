BEGIN
{
	@a[1] = sum(1); @a[2] = sum(2);
	@b[1] = sum(20); @b[2] = sum(10);
	printa("%d ", @a, @b);
	setopt("aggsortpos", "1");
	printa("%d ", @a, @b);
	setopt("aggsortrev");
	printa("%d ", @a, @b);
	exit(0);
}
