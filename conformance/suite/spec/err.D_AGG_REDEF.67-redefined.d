/* Runtime spec §19, line 67. */
BEGIN { @a = count(); @a = max(1); }
