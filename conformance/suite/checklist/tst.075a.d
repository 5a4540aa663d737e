BEGIN { a = 19; b = -5; trace(a % b); trace(a / b); exit(0); }
