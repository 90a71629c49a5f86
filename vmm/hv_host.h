/* SPDX-License-Identifier: MIT */
/* Where the Hyper-V library meets KVM: MSR exits, the hypercall page's trap, what it asks of a host. */
#ifndef VPUP_VMM_HV_HOST_H
#define VPUP_VMM_HV_HOST_H

#include "hyperv/hv.h"
#include "vmm/machine.h"

extern const struct device_ops hv_device;

struct hv_partition *hv_host_partition(const struct hv_host *h);

/* Where a VP that a hypercall starts finds its registers. */
struct hv_vp_context *hv_host_context(struct hv_host *h, uint32_t vp);

/* When a timer of h->timers may be due: hooks of struct hv_side. */
int hv_host_fd(const struct machine *m);
void hv_host_serve(struct machine *m);

/* Asks the VP once more, after delay_ns, to inject what waits (hv_auto_eoi.h). */
void hv_host_retry(struct vp *vp, uint64_t delay_ns);

/* The guest's last words, or "": what it said through the crash MSRs. */
const char *hv_host_last_words(const struct hv_host *h);

#endif
