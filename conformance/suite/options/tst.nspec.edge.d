/* @@ args: -q -x nspec=16 */
BEGIN { printf("%d", speculation()); exit(0); }
