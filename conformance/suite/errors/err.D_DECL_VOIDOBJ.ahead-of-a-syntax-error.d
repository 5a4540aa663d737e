struct s {
	void v;
	int 5;
};
