/* Runtime spec §19, line 70. */
BEGIN { speculate(1); @ = count(); }
