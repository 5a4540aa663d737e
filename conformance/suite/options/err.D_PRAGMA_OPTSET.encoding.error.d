#pragma D option encoding=utf16
BEGIN { exit(0); }
