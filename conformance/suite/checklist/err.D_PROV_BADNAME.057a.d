provider p9 { probe x(); };
