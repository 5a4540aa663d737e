#pragma D option amin=Firm/Firm/Firm
BEGIN { exit(0); }
