/* @@ status: 3 */
BEGIN { exit(3); trace("last"); } BEGIN { trace("never"); } END { trace("end"); }
