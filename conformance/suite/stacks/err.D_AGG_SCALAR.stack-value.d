BEGIN { @ = max(stack()); }
