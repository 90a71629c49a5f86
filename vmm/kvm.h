/* SPDX-License-Identifier: MIT */
/*
 * The KVM API (Linux Documentation/virt/kvm/api.rst): every ioctl of vpup stands in vmm/kvm.c. Each
 * goes through one wrapper that names the request in its error and holds a fault point, but for
 * KVM_RUN, which is what gets measured.
 */
#ifndef VPUP_VMM_KVM_H
#define VPUP_VMM_KVM_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/cpuid.h"
#include "vmm/err.h"
#include "vmm/gpa.h"

#define KVM_DEVICE "/dev/kvm"

/*
 * A planned failure, for tests of the error paths: the nth call of the named request fails with
 * ENOMEM. Read from VPUP_FAULT=REQUEST[:NTH], for example KVM_CREATE_VCPU:3.
 */
struct kvm_fault {
	char request[48]; /* "" when nothing is planned */
	unsigned long nth;
	unsigned long seen;
};

struct kvm {
	int fd;    /* /dev/kvm, or -1 */
	int vm_fd; /* or -1 */
	size_t run_size_bytes;
	struct kvm_fault fault;
};

/* One VP as KVM sees it. */
struct kvm_vp {
	int fd; /* or -1 */
	struct kvm_run *run;
};

/*
 * Opens /dev/kvm and checks the API version. Returns 0; -ENOENT, -EACCES or another -errno with e
 * saying what to do about it. k is valid for kvm_close() in either case.
 */
int kvm_open(struct kvm *k, struct err *e);
void kvm_close(struct kvm *k);

/* KVM_CHECK_EXTENSION on the VM if there is one, else on /dev/kvm: 0 means absent. */
int kvm_capability(struct kvm *k, unsigned capability);

int kvm_create_vm(struct kvm *k, struct err *e);

/*
 * The in-kernel PIC, I/O APIC, local APICs and (if `pit`) PIT, and 32-bit APIC IDs (KVM_CAP_X2APIC_API, where
 * need_x2apic_ids says that some VP's ID is above 254).
 */
int kvm_create_irqchip(struct kvm *k, bool need_x2apic_ids, bool pit, struct err *e);

/* The first vector of each PIC, which it takes from firmware or kernel otherwise. */
int kvm_set_pic_vectors(struct kvm *k, uint8_t master, uint8_t slave, struct err *e);

/* Exits to user space for MSRs that KVM does not know or that a filter denies it. */
int kvm_enable_user_msrs(struct kvm *k, struct err *e);

/*
 * Denies KVM the MSRs [first, first + count), count a multiple of 8 up to 0x3000, so that they exit
 * to user space. May take some 10 ms (a grace period); it can run beside other set-up.
 */
int kvm_deny_msrs(struct kvm *k, uint32_t first, uint32_t count, struct err *e);

int kvm_set_memory(struct kvm *k, uint32_t slot, gpa_t base, uint64_t size_bytes, void *host,
		   struct err *e);

/* The same, of memory that the guest can only read: its writes are MMIO. */
int kvm_set_rom(struct kvm *k, uint32_t slot, gpa_t base, uint64_t size_bytes, void *host,
		struct err *e);

/* What KVM_GET_SUPPORTED_CPUID offers to guests. */
int kvm_supported_cpuid(struct kvm *k, struct cpuid_set *out, struct err *e);

/* What KVM_GET_SUPPORTED_HV_CPUID offers, for any VP (KVM_CAP_SYS_HYPERV_CPUID). */
int kvm_supported_hv_cpuid(struct kvm *k, struct cpuid_set *out, struct err *e);

/* Frequency of the guests' TSC. */
int kvm_tsc_khz(struct kvm *k, uint64_t *khz, struct err *e);

int kvm_set_irq(struct kvm *k, uint32_t gsi, bool level, struct err *e);

/* A fixed, edge-triggered interrupt to the local APIC with this ID (KVM_SIGNAL_MSI). */
int kvm_interrupt(struct kvm *k, uint32_t apic_id, uint8_t vector, struct err *e);

/* Takes the place of all routes of GSIs that there are (KVM_SET_GSI_ROUTING). */
int kvm_set_routes(struct kvm *k, const struct kvm_irq_routing *table, struct err *e);

/*
 * KVM raises gsi when fd is written to, and signals resample_fd when the guest is done with it; with a
 * resample_fd of -1 each write is a pulse (KVM_IRQFD).
 */
int kvm_set_irqfd(struct kvm *k, uint32_t gsi, int fd, int resample_fd, struct err *e);

/* KVM signals fd when HvCallSignalEvent names the connection (flag 0); fd -1: no longer. */
int kvm_set_hyperv_eventfd(struct kvm *k, uint32_t connection_id, int fd, struct err *e);

/* A 32-bit write of val to this address wakes the eventfd and nothing else (KVM_IOEVENTFD). */
int kvm_ioeventfd(struct kvm *k, int fd, uint64_t addr, uint32_t val, struct err *e);

/* Creates the VP with this APIC ID. vp is valid for kvm_vp_close() in any case. */
int kvm_vp_create(struct kvm *k, uint32_t apic_id, struct kvm_vp *vp, struct err *e);
void kvm_vp_close(const struct kvm *k, struct kvm_vp *vp);

int kvm_vp_set_cpuid(struct kvm *k, const struct kvm_vp *vp, const struct cpuid_set *set,
		     struct err *e);
int kvm_vp_get_sregs(struct kvm *k, const struct kvm_vp *vp, struct kvm_sregs *s, struct err *e);
int kvm_vp_set_sregs(struct kvm *k, const struct kvm_vp *vp, const struct kvm_sregs *s,
		     struct err *e);
int kvm_vp_get_regs(struct kvm *k, const struct kvm_vp *vp, struct kvm_regs *r, struct err *e);
int kvm_vp_set_regs(struct kvm *k, const struct kvm_vp *vp, const struct kvm_regs *r,
		    struct err *e);

int kvm_vp_get_events(struct kvm *k, const struct kvm_vp *vp, struct kvm_vcpu_events *v,
		      struct err *e);
int kvm_vp_set_events(struct kvm *k, const struct kvm_vp *vp, const struct kvm_vcpu_events *v,
		      struct err *e);
int kvm_vp_get_mp_state(struct kvm *k, const struct kvm_vp *vp, uint32_t *state, struct err *e);
int kvm_vp_set_mp_state(struct kvm *k, const struct kvm_vp *vp, uint32_t state, struct err *e);
int kvm_vp_get_lapic(struct kvm *k, const struct kvm_vp *vp, struct kvm_lapic_state *l,
		     struct err *e);
int kvm_vp_get_fpu(struct kvm *k, const struct kvm_vp *vp, struct kvm_fpu *f, struct err *e);
int kvm_vp_get_msr(struct kvm *k, const struct kvm_vp *vp, uint32_t msr, uint64_t *val,
		   struct err *e);
int kvm_vp_set_msr(struct kvm *k, const struct kvm_vp *vp, uint32_t msr, uint64_t val,
		   struct err *e);

/* KVM_ENABLE_CAP for one VP. */
int kvm_vp_enable_cap(struct kvm *k, const struct kvm_vp *vp, uint32_t capability, uint64_t arg,
		      struct err *e);

/* Guest TSC - host TSC (KVM_VCPU_TSC_OFFSET). -ENXIO where this KVM can't tell. */
int kvm_vp_tsc_offset(struct kvm *k, const struct kvm_vp *vp, uint64_t *offset);

/* Adds to that. -ENOTSUP with e set where KVM only pretends to. */
int kvm_vp_add_tsc_offset(struct kvm *k, const struct kvm_vp *vp, int64_t cycles, struct err *e);

/* The bare KVM_RUN: 0 or -errno (-EINTR: kicked; -EAGAIN: an AP was woken by INIT or SIPI). */
int kvm_vp_run(const struct kvm_vp *vp);

#endif
