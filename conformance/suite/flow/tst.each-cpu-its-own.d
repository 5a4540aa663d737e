/* @@ args: -F */
syscall:::entry { }
syscall:::return { }
