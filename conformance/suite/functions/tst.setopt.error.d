BEGIN { setopt("nspec", "3"); setopt("stackindent", "x"); printf("on"); exit(0); }
