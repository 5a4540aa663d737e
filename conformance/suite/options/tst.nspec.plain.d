/* @@ args: -q -x nspec=2 */
BEGIN { printf("%d %d %d", speculation(), speculation(), speculation()); exit(0); }
