BEGIN { clear(@); }
