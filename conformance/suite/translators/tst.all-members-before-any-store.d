/* What a translated struct is stored to changes when all its members are known. */
/* @@ args: -q */
struct o { int a; int b; };
struct o v;
struct o m[int];
int z;
translator struct o < struct o I > { a = I.b; b = I.a; };
translator struct o < int I > { a = 5; b = 1 / z; };
BEGIN { v.a = 1; v.b = 2; v = xlate<struct o>(v); printf("%d %d\n", v.a, v.b); }
BEGIN { m[1].a = 3; m[1].b = 4; m[1] = xlate<struct o>(m[1]); printf("%d %d\n", m[1].a, m[1].b); }
BEGIN { v = xlate<struct o>(0); }
BEGIN { printf("%d %d\n", v.a, v.b); }
