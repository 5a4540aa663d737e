#pragma flavour mint
BEGIN { exit(0); }
