/* SPDX-License-Identifier: MIT */
/* The KVM capabilities that decide what vpup can do, for the doctor and for result files. */
#ifndef VPUP_VMM_HOST_CAPS_H
#define VPUP_VMM_HOST_CAPS_H

#include "vmm/hostinfo.h"
#include "vmm/kvm.h"

#define HOST_CAPS 14

/* A capability of KVM and its name, as a row of a table. */
struct host_cap_row {
	const char *name;
	unsigned number;
};
#define HOST_CAP_ROW(cap) ((struct host_cap_row){#cap, cap})

/* Reads them all; k must be open. Names are static. */
void host_caps_read(struct kvm *k, struct host_cap cap[HOST_CAPS]);

#endif
