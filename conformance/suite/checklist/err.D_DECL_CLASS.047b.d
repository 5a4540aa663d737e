self this int s;
