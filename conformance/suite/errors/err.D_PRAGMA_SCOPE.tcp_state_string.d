#pragma D attributes Stable/Stable/Common tcp_state_string
BEGIN { }
