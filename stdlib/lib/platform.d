/*
 * What other systems have and Linux has not, with its meaning here: one zone, whose name is that of the whole system, and
 * one set of processors.
 */
inline string zonename = "global";
inline psetid_t pset = 0;
