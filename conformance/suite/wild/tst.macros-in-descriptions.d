/* Macro arguments inside probe descriptions: glued to a unit, as the provider, as the module. */
/* @@ operands: 1 dtrace "" 97 */
tick-$1s { printf("tick "); exit(0); }
$2:::BEGIN { printf("begin "); }
$2:$$3::BEGIN { }
profile-$4 { }
