/* @@ status: 2 */
BEGIN { exit(258); }
