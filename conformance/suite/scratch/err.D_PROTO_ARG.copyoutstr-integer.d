BEGIN { copyoutstr(5, 0, 1); }
