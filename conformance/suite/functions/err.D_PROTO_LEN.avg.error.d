BEGIN { @ = avg(); }
