/* An event that no kernel has. */
sdt:sched::there_is_no_such_event
{
}
