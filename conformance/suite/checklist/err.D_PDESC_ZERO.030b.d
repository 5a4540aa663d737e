ghost:::x { }
