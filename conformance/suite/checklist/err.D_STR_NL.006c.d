BEGIN { s = "a
b"; }
