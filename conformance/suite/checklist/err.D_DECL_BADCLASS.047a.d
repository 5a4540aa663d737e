static int s;
