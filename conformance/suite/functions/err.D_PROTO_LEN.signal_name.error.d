/* @@ args: -q -x strict=no */
BEGIN { trace(signal_name()); }
