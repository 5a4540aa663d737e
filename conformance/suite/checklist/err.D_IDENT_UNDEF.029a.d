#line 40
BEGIN { trace(ghost); }
