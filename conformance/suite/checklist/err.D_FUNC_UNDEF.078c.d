BEGIN { ghost(); }
