#error no luck
BEGIN { }
