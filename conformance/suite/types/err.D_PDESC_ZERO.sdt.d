/* An event that no kernel has. Which there are only root can say, so it runs where root's engine does. */
/* @@ engines: bpf */
sdt:sched::there_is_no_such_event
{
}
