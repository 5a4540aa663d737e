struct c { char *f : 3; };
