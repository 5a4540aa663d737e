/* @@ string: n */
BEGIN /1/
