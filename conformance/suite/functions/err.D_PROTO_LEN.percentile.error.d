/* @@ args: -q -x strict=no */
BEGIN { @ = percentile(1); }
