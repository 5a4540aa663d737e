BEGIN { denormalize("a"); }
