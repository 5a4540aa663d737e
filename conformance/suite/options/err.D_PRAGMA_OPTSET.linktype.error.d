#pragma D option linktype=elf
BEGIN { exit(0); }
