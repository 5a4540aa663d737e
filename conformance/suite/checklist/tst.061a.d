char c; BEGIN { c = 'A' + 256; trace((int)c); exit(0); }
