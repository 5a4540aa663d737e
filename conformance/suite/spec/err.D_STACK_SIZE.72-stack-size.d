/* Runtime spec §19, line 72. */
BEGIN { stack(0); }
