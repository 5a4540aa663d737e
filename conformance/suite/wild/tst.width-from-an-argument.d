/* An indent by depth: a width from an argument. */
BEGIN { self->depth = 2; printf("%*s-> %s\n", self->depth * 2, "", probename); exit(0); }
