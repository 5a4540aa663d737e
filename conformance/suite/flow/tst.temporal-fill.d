/* @@ args: -F -x temporal -x bufpolicy=fill */
/* What comes next on its CPU decides the look of a return, never its place. */
foo::: { printf("%d", timestamp / 1000000); }
foo:::return { printf("b%d", timestamp / 1000000); }
