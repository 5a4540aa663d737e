BEGIN { trace(json("{}")); }
