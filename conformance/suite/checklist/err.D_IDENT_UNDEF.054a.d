inline int loop = loop + 1;
