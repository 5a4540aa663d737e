enum big { B = 0x80000000 };
