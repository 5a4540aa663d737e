BEGIN { trace(sizeof ("abc")); trace(sizeof (NULL)); exit(0); }
