/* Zeroed, 8-aligned; 8 + 248 bytes are all of scratchsize, and so are 256 in the next clause. */
syscall::write:entry
{
	this->a = (char *)alloca(1);
	this->b = (char *)alloca(248);
	printf("%d %d %d %d|", this->b - this->a, this->a[0], this->b[247], (uint64_t)this->a % 8);
}
syscall::write:entry
{
	this->c = (char *)alloca(256);
	printf("%d\n", this->c[255]);
}
