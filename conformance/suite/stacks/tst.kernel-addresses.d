syscall::read:entry { sym(arg0); func(arg0); mod(arg0); printf("|%a|%-30a|\n", arg0, arg0); }
