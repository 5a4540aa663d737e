/* Two probes without a comma. */
BEGIN END { }
