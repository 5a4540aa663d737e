BEGIN { x = stack(); x = 5; }
