/* @@ args: -q -x amin=Evolving/Evolving/Common */
BEGIN { trace(curpsinfo->pr_pid); trace(((struct task_struct *)arg0)->pid); }
