#pragma D attributes Stable/Stable/Common curpsinfo
BEGIN { }
