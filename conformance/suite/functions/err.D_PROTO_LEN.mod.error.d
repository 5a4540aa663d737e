BEGIN { mod(); }
