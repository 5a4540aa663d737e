/* An offset as the name of a probe; no process has this number. */
pid4194304:libx.so:fn:1c { }
