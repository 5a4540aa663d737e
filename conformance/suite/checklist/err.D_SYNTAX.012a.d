BEGIN /(pid > 1 / { }
