/* Unbalanced brackets. */
BEGIN { trace((1); }
