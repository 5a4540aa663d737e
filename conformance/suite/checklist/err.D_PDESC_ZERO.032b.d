dtrace:::!BEGIN { }
