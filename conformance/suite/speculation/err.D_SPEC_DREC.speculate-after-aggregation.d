BEGIN { @a = count(); speculate(1); }
