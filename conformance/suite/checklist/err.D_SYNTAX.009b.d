/* x /* y */ BEGIN { }
