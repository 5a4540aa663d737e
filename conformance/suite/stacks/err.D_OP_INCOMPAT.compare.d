BEGIN { x = stack(); y = ustack(); trace(x == y); }
