enum e {
	A = "x",
};
