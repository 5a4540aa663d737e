/* Empty bodies. */
syscall::read:entry {}
syscall::write:entry
{
}
