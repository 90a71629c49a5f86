/* SPDX-License-Identifier: MIT */
/* The KVM capabilities that decide what vpup can do, for the doctor and for result files. */
#ifndef VPUP_VMM_HOST_CAPS_H
#define VPUP_VMM_HOST_CAPS_H

#include "vmm/hostinfo.h"
#include "vmm/kvm.h"

#define HOST_CAPS 14

/* Reads them all; k must be open. Names are static. */
void host_caps_read(struct kvm *k, struct host_cap cap[HOST_CAPS]);

#endif
