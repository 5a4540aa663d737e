provider pp {
	probe x(int a, void);
	probe ;
};
