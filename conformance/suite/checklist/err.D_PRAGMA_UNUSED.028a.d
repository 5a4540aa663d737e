#pragma D attributes Stable/Stable/Common ghost
BEGIN { }
