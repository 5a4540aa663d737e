BEGIN { raise("KILL"); }
