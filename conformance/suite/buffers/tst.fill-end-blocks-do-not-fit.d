/* Twice 16 + 8 + 2048 bytes are more than 4096. */
/* @@ args: -q -x bufpolicy=fill -b 4k -x scratchsize=8k */
/* @@ status: 1 */
BEGIN { exit(0); }
END { tracemem(alloca(2048), 2048); }
END { tracemem(alloca(2048), 2048); }
