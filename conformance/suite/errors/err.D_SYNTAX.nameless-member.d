/* Members without a name are C's, not D's. */
struct s {
	int a;
	union { int b; };
};
