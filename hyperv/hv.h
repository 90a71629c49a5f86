/* SPDX-License-Identifier: MIT */
/*
 * A Hyper-V partition as a library: CPUID leaves, synthetic MSRs, the hypercall page and its calls.
 * It knows neither KVM nor threads; it sees its host through struct hv_host_ops.
 *
 * Locking: calls for different VPs may run at the same time; calls for one VP must not.
 */
#ifndef VPUP_HYPERV_HV_H
#define VPUP_HYPERV_HV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hyperv/hv_defs.h"

/*
 * What the library asks of its host. Any of these may be called from any VP's thread; none may call
 * back into the library. gpa_ptr is called with a lock of the partition held, the others are not.
 */
struct hv_host_ops {
	/*
	 * Host view of guest RAM, or NULL when [gpa, gpa + size) is not all RAM (it may also wrap).
	 * The pointer stays good for as long as the partition lives.
	 */
	void *(*gpa_ptr)(void *ctx, uint64_t gpa, uint64_t size);
	/* Partition reference time: 100 ns units since the partition was made. */
	uint64_t (*ref_time_100ns)(void *ctx);
	/* The guest asked for a system reset, to be done once all its VPs have stopped. */
	void (*reset)(void *ctx);
};

struct hv_config {
	uint32_t vps;
	uint64_t tsc_hz;
	uint64_t apic_hz;       /* local APIC timer, before the divider */
	uint8_t hypercall_port; /* the hypercall page traps with `out imm8, eax` to it */
};

enum hv_msr_result {
	HV_MSR_OK,
	HV_MSR_GP, /* unimplemented, read-only, without privilege, or an illegal value */
};

/* Registers of a hypercall made in 64-bit mode (TLFS, hypercall inputs). */
struct hv_hypercall_regs {
	uint64_t rcx; /* IN: control word */
	uint64_t rdx; /* IN: input GPA, or the first 8 bytes of a fast call */
	uint64_t r8;  /* IN: output GPA, or the next 8 bytes */
	uint64_t rax; /* OUT: result value */
};

struct hv_partition;

/*
 * Makes a partition with cfg->vps VPs. ops must outlive it. Returns NULL when out of memory.
 * hv_partition_free(NULL) is harmless.
 */
struct hv_partition *hv_partition_new(const struct hv_config *cfg, const struct hv_host_ops *ops,
				      void *ctx);
void hv_partition_free(struct hv_partition *p);

/*
 * System reset: every register back to its reset value, overlays gone and the RAM beneath them
 * back. Counters stay. No other call for this partition may run at the same time.
 */
void hv_partition_reset(struct hv_partition *p);

/*
 * The CPUID leaf 0x40000000 + n that partitions of this configuration show. out is eax, ebx, ecx,
 * edx. Returns false past the last leaf. Features are derived from the MSR rows that exist.
 */
bool hv_cpuid_leaf(const struct hv_config *cfg, uint32_t function, uint32_t out[4]);

/* Calls fn for every leaf that partitions of this configuration show, in ascending order. */
void hv_cpuid_each(const struct hv_config *cfg,
		   void (*fn)(void *ctx, uint32_t function, const uint32_t reg[4]), void *ctx);

/* One RDMSR or WRMSR in [HV_MSR_FIRST, HV_MSR_LAST] by VP vp. *val is untouched on HV_MSR_GP. */
enum hv_msr_result hv_msr_read(struct hv_partition *p, uint32_t vp, uint32_t msr, uint64_t *val);
enum hv_msr_result hv_msr_write(struct hv_partition *p, uint32_t vp, uint32_t msr, uint64_t val);

/* A trap of the hypercall page from 64-bit kernel mode. Sets r->rax. */
void hv_hypercall(struct hv_partition *p, uint32_t vp, struct hv_hypercall_regs *r);

/* How many hypercalls all VPs made, whatever came of them. */
uint64_t hv_hypercall_count(const struct hv_partition *p);

/*
 * Counters, summed over VPs: a line per MSR that was used, in ascending order, and one for all
 * unimplemented MSRs if any was used. Returns how many lines were written, at most max. May be
 * called while VPs run.
 */
struct hv_msr_count {
	const char *name;
	uint32_t msr;    /* 0 for the "unimplemented" line */
	uint64_t reads;  /* attempts */
	uint64_t writes; /* attempts */
	uint64_t faults; /* how many of both gave #GP */
};
size_t hv_msr_counts(const struct hv_partition *p, struct hv_msr_count *out, size_t max);

#endif
