#pragma D option placement=moon
BEGIN { exit(0); }
