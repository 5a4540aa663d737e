BEGIN { c = ''; }
