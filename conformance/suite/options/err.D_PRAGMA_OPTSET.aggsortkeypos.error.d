#pragma D option aggsortkeypos=-1
BEGIN { exit(0); }
