/* @@ status: 1 */
BEGIN { raise(28); exit(0); }
