/* @@ args: -F */
syscall:::entry { }
syscall:::return { trace(arg0); }
BEGIN, END { }
