#!/usr/sbin/dtrace -qs
/* @@ kernel: nonempty */
/* before */ syscall::read:entry /* between */
/arg0 == 8 /2/
{
	/* a // is no comment */
	@[arg0 +
	    1] = count() ;;
}
