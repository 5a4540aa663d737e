BEGIN { c = 'abcdefghi'; }
