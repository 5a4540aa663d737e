BEGIN { chill("x"); }
