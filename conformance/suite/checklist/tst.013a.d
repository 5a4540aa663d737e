BEGIN /1/ /* note */ { trace(1); exit(0); }
