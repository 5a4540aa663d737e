BEGIN { trace('ab'); trace('\q'); exit(0); }
