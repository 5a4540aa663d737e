enum hue { RED = 1, BLUE }; BEGIN { trace(BLUE); exit(0); }
