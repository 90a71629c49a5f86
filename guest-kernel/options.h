/* SPDX-License-Identifier: MIT */
/* The guest's command line. */
#ifndef VPUP_GUEST_OPTIONS_H
#define VPUP_GUEST_OPTIONS_H

#include <stdint.h>

enum option_tables { OPTION_TABLES_AUTO, OPTION_TABLES_ACPI, OPTION_TABLES_FDT };
enum option_checks { OPTION_CHECKS_OFF, OPTION_CHECKS_ON, OPTION_CHECKS_ALL };
enum option_measure { OPTION_MEASURE_NONE, OPTION_MEASURE_EXITS };

struct options {
	uint32_t smp;          /* enum trace_smp */
	uint32_t lpj;          /* enum trace_lpj */
	uint32_t lpj_given;    /* with TRACE_LPJ_GIVEN */
	uint32_t synic;        /* enum trace_synic */
	uint32_t hz;           /* timer ticks per second */
	uint32_t tables;       /* enum option_tables */
	uint32_t wait_ms;      /* how long bring-up may stand still */
	uint32_t vmcall;       /* 0 or 1: hypercall pages with VMCALL or VMMCALL may be called */
	uint32_t measure;      /* enum option_measure */
	uint32_t checks;       /* enum option_checks */
	uint32_t stimer_first; /* 0 or 1: with checks, use a timer before its message page */
	uint32_t quiet;        /* 0 or 1 */
	uint32_t ucode_us;     /* stand-in costs: see stand_in.h */
	uint32_t identify_us;
	uint32_t tscsync_us;
	uint32_t online_us;
	uint32_t unknown_count;
	const char *unknown; /* the first word that is no option, or NULL */
	const char *test;    /* list of tests, or NULL */
};

/*
 * Fills o from the words of cmdline (see docs/guest.md), which is cut into words in place and must
 * outlive o. Words that are no options are only counted, as some loaders add their own; a value
 * that is wrong ends the run.
 */
void options_parse(struct options *o, char *cmdline);

#endif
