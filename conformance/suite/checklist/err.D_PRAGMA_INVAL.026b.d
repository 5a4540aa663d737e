#pragma D flavour mint
BEGIN { }
