/* Memory that is not there, wholly and in part, ends the clause. */
syscall::write:entry
{
	printf("not this");
	tracemem(16, 4);
}
syscall::write:entry
{
	tracemem(arg1 + 4090, 8);
}
