int t; string t;
