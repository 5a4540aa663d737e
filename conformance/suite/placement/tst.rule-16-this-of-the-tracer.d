/*
 * Rule 16: `this->p` of `BEGIN`, of a timer and of `END` is another than that of the events, where it holds what the kernel
 * reads memory at. Each firing has zeroes to begin with.
 */
#pragma D option quiet

BEGIN { this->p = 1; printf("begin %d\n", this->p); }
BEGIN { printf("begin still %d\n", this->p); }
syscall::write:entry { this->p += arg1; printf("write %s\n", copyinstr(this->p)); }
syscall::write:entry /this->p == 0x10000/ { @["first"] = count(); }
syscall::write:return { printf("return %d\n", this->p); }
tick-1s { this->p++; printf("tick %d\n", this->p); }
END { printf("end %d\n", this->p); printa("%s %@d\n", @); }
