char int c;
