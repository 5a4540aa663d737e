/* @@ args: -q -x strict=no */
BEGIN { @ = topk(pid, 1); }
