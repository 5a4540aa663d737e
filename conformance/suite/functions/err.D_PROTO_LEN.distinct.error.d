/* @@ args: -q -x strict=no */
BEGIN { @ = distinct(); }
