/* Memory that is not there, and more than scratchsize. */
syscall::write:entry
{
	this->p = copyin(arg0, 1);
}
syscall::write:entry
{
	this->n = 257;
	this->p = copyin(arg1, this->n);
}
