/* Runtime spec §19, line 73. */
BEGIN { tracemem(curthread, 0); }
