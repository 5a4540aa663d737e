/*
 * The CPU that a probe fires on. There is one set of processors, 0; `chip` and `lgrp` are of the language.
 */
typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;
	chipid_t cpu_chip;
	lgrp_id_t cpu_lgrp;
} cpuinfo_t;

/* What `curcpu` is made of: nothing, since each member is a variable of the language. */
struct dtrail_cpu;

translator cpuinfo_t < struct dtrail_cpu *C > {
	cpu_id = cpu;
	cpu_pset = 0;
	cpu_chip = chip;
	cpu_lgrp = lgrp;
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> ((struct dtrail_cpu *)NULL);
