#pragma D option disasm=16
BEGIN { exit(0); }
