/* @@ kernel: nonempty */
/* Two readers, a writer, one that waits, nobody. */
syscall::write:entry
{
	printf("%d %d %d\n", rw_read_held((void *)arg1), rw_write_held((void *)arg1), rw_iswriter((void *)arg1));
}
