BEGIN { raise(); }
