#pragma D option define=X
BEGIN { }
