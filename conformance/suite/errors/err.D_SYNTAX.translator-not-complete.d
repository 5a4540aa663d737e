/* A translator is checked at its end. */
struct s { int a; };
translator struct s < int i > {
	zz = 1;
	a = ;
};
