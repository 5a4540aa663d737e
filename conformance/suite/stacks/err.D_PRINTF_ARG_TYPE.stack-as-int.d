BEGIN { x = stack(); printf("%d", x); }
