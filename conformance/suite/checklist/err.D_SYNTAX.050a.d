struct e { };
