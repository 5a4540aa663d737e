/* Runtime spec §19, line 71. */
BEGIN { trace(1); commit(1); }
