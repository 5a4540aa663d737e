struct ghost g;
