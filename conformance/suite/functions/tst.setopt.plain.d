BEGIN { @[1] = sum(1); @[2] = sum(2); setopt("aggsortrev"); printa("%d ", @); setopt("aggsortrev", "no"); printa("%d ", @); exit(0); }
