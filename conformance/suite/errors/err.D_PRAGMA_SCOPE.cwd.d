#pragma D attributes Stable/Stable/Common cwd
BEGIN { }
