/* An unknown function. */
BEGIN { frobnicate(1); }
