BEGIN { copyinto(0, 2, (void *)16); }
