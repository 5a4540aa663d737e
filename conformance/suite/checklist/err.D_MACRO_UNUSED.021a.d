/* @@ operands: 7 */
BEGIN { trace("$1"); }
