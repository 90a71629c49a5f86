/* SPDX-License-Identifier: MIT */
/* The table of synthetic MSRs, and what each held before the guest touched any. */
#ifndef VPUP_GUEST_CONFORMANCE_SNAPSHOT_H
#define VPUP_GUEST_CONFORMANCE_SNAPSHOT_H

#include <stdint.h>

#define CONF_MSR_ROWS 48

struct conf_snapshot {
	uint64_t val[CONF_MSR_ROWS];   /* by row of the table in msr.c */
	uint8_t vector[CONF_MSR_ROWS]; /* of the exception that reading gave; 0: none */
};

void conf_snapshot_take(struct conf_snapshot *s);

#endif
