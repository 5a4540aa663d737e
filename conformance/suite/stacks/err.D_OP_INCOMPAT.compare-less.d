BEGIN { x = stack(); trace(x < x); }
