/* @@ string: P */
1
