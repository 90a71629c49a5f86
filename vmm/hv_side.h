/* SPDX-License-Identifier: MIT */
/*
 * Who serves the Hyper-V interface: vpup (hv_host.c) or KVM (hv_kernel.c). The machine knows either
 * through these hooks alone; what only user mode has hangs off machine.hv.
 */
#ifndef VPUP_VMM_HV_SIDE_H
#define VPUP_VMM_HV_SIDE_H

#include "hyperv/hv.h"
#include "vmm/machine.h"

/* Those that can fail return 0 or -errno with e set. */
struct hv_side {
	/* CPUID entries 0x40000000 and up for cpuid_template(). Returns how many, at most max. */
	size_t (*cpuid)(const struct machine *m, struct kvm_cpuid_entry2 *out, size_t max);
	/* When all VCPUs exist and before one of them runs. NULL: nothing to do. */
	int (*ready)(struct machine *m, struct err *e);
	/* On the VP's own thread, before KVM gets its CPUID. */
	int (*prepare_vp)(struct vp *vp, struct err *e);
	/* What was asked of the VP (enum vp_request). On its own thread, between two entries. */
	int (*serve_vp)(struct vp *vp, unsigned requests, struct err *e);
	/* The main thread polls the descriptor, and calls serve() when it is readable. */
	int (*fd)(const struct machine *m);
	void (*serve)(struct machine *m);
	/*
	 * Ports of the host, and what they send to the guest: see hv_ports_connect(),
	 * hv_synic_post_message(), hv_synic_signal_event(), hv_synic_raise(). In kernel mode an
	 * event port runs on the main thread, after the hypercall has succeeded, unless the flag is
	 * another than 0; and to signal or raise a masked SINT is no error.
	 */
	int (*connect)(struct machine *m, const struct hv_port *port);
	int (*disconnect)(struct machine *m, const struct hv_port *port);
	const struct hv_ports *(*ports)(const struct machine *m);
	uint16_t (*post_message)(struct machine *m, uint32_t vp, unsigned sint,
				 const struct hv_message *msg);
	uint16_t (*signal_event)(struct machine *m, uint32_t vp, unsigned sint, uint16_t flag);
	uint16_t (*raise_sint)(struct machine *m, uint32_t vp, unsigned sint);
};

/*
 * The features that cfg asks for (--hv) of the side that it names, checked. Needs no machine.
 * Returns 0, or -EINVAL with e naming what is wrong or missing.
 */
int hv_side_features(const struct vm_config *cfg, struct hv_features *out, struct err *e);

/* Collects leaves of hv_cpuid_each() as KVM's entries. */
struct hv_leaf_sink {
	struct kvm_cpuid_entry2 *out;
	size_t max;
	size_t count;
};
void hv_leaf_add(void *sink, uint32_t function, const uint32_t reg[4]);

/* Ends the run: the guest on VP vp reported a crash with these parameters. */
void hv_report_crash(struct outcome *o, uint32_t vp, const uint64_t params[HV_CRASH_PARAMS]);

#endif
