/* SPDX-License-Identifier: MIT */
/*
 * Exits from the guest to user space, as values: what KVM_RUN left in struct kvm_run is decoded into
 * a struct vp_exit, a table indexed by the reason serves it, and answers are put back. So the table
 * is tested with made-up exits and no VM.
 */
#ifndef VPUP_VMM_EXIT_H
#define VPUP_VMM_EXIT_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>

#include "vmm/bus.h"
#include "vmm/outcome.h"

#define EXIT_REASONS 64 /* KVM_EXIT_* below this have a row or count as unknown */

struct vp_exit {
	uint32_t reason; /* KVM_EXIT_* */
	uint32_t vp;
	union {
		struct {
			uint8_t *data; /* count elements, in place: IN fills them */
			uint32_t count;
			uint16_t port;
			uint8_t size;
			bool is_write;
		} io;
		struct {
			uint8_t *data; /* size bytes, in place */
			uint64_t gpa;
			uint32_t size;
			bool is_write;
		} mmio;
		struct {
			uint64_t val;
			uint32_t index;
			bool is_write;
			bool fault; /* OUT: inject #GP */
		} msr;
		struct {
			uint32_t suberror;
			uint8_t insn_size; /* 0: KVM did not tell the instruction */
			uint8_t insn[15];
		} internal;
		struct {
			uint64_t hardware_reason;
		} fail_entry;
		struct {
			uint32_t type;
		} system;
		struct {
			uint32_t type;                  /* KVM_EXIT_HYPERV_* */
			uint64_t control, input;        /* of _HCALL: see hv_kernel_hypercall() */
			uint64_t result;                /* of _HCALL, OUT */
			uint64_t scontrol, siefp, simp; /* of _SYNIC: what the registers hold now */
		} hyperv;
	};
};

/* What the handlers work on. */
struct exit_env {
	struct bus *pio;
	struct bus *mmio;
	struct bus *msr;
	struct outcome *outcome;
	/* The guest on VP vp reported a crash to KVM: sets the outcome. May be NULL. */
	void (*on_crash)(void *ctx, uint32_t vp);
	/* KVM's own Hyper-V has news or a question. May be NULL. */
	void (*on_hyperv)(void *ctx, struct vp_exit *x);
	void *ctx;
};

enum exit_action { EXIT_RESUME, EXIT_STOP };

/* Decodes run, which returned to VP vp; data pointers in x point into run. */
void exit_decode(struct vp_exit *x, struct kvm_run *run, uint32_t vp);

/* Puts the answers that a struct vp_exit holds by value (MSRs, hypercalls) back into run. */
void exit_encode(const struct vp_exit *x, struct kvm_run *run);

/* Serves the exit. EXIT_STOP: the VP must not run again, and the outcome is set. */
enum exit_action exit_dispatch(const struct exit_env *env, struct vp_exit *x);

/* "KVM_EXIT_IO" and so on; NULL for reasons without a row. */
const char *exit_name(uint32_t reason);

#endif
