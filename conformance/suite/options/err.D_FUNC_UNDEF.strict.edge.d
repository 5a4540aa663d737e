/* @@ args: -q -x strict */
/* An extension is unknown. */
BEGIN { @ = topk(3, 1); }
