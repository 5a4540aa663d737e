BEGIN { n = 8 / /* half */ 2; }
