BEGIN { trace(-1 == 4294967295U); exit(0); }
