/* SPDX-License-Identifier: MIT */
/*
 * A Hyper-V partition as a library: CPUID leaves, synthetic MSRs, SynIC, timers, the hypercall page
 * and its calls. It knows neither KVM nor threads; it sees its host through struct hv_host_ops.
 *
 * Locking: calls for different VPs may run at the same time, from any threads. MSR accesses and
 * hypercalls of one VP must not run beside each other, as they come from its own thread; what
 * hosts call from elsewhere (hv_synic_*(), hv_stimer_expired(), hv_port_*(), counters) may run
 * beside anything but hv_partition_reset() and hv_partition_free(). Each VP has a lock of its own,
 * and no path of an MSR access, hypercall or message takes one that all VPs share, except writes
 * to the partition-wide registers GUEST_OS_ID, HYPERCALL and REFERENCE_TSC.
 */
#ifndef VPUP_HYPERV_HV_H
#define VPUP_HYPERV_HV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hyperv/hv_defs.h"
#include "hyperv/hv_feature.h"
#include "hyperv/hv_port.h"
#include "hyperv/hv_slot.h"

/*
 * What the library asks of its host. None may call back into the library, and none may wait for a
 * VP's thread: that thread may be waiting for a lock that the caller holds. Except where it says
 * "on the VP's own thread", any thread that calls into the library may make the call, for any VP.
 * Only gpa_ptr and reset are needed by every partition; the others may be NULL as long as the
 * features that call them are off (hv_features_check()).
 */
struct hv_host_ops {
	/*
	 * Host view of guest RAM, or NULL when [gpa, gpa + size) is not all RAM (it may also wrap).
	 * The pointer stays good for as long as the partition lives, and is aligned as gpa is, at
	 * least to 8 bytes. May be called with a lock held.
	 */
	void *(*gpa_ptr)(void *ctx, uint64_t gpa, uint64_t size);
	/* The guest asked for a system reset, to be done once all its VPs have stopped. No lock. */
	void (*reset)(void *ctx);
	/*
	 * What RDTSC would give in the guest on VP vp now. All VPs must share one TSC: reference
	 * time, and with it every timer, is computed from it. Called with a lock held.
	 */
	uint64_t (*guest_tsc)(void *ctx, uint32_t vp);
	/* 100 ns units that VP vp has run. On the VP's own thread, no lock. */
	uint64_t (*vp_runtime_100ns)(void *ctx, uint32_t vp);
	/*
	 * Raise a fixed, edge-triggered interrupt at VP vp. Vectors below 16 never come here. With
	 * auto_eoi the guest's handler will not write EOI: the interrupt must not stay in service.
	 * How to get that from the local APIC is the host's affair. No lock is held. Two calls for
	 * one VP may run at the same time, and the interrupts of two threads may come in any order.
	 */
	void (*irq)(void *ctx, uint32_t vp, uint8_t vector, bool auto_eoi);
	/*
	 * Call hv_stimer_expired(p, vp, n) once reference time is due_100ns (hv_ref_time_to_tsc()
	 * converts) or a little later; this replaces what timer n of that VP was armed for. A due
	 * time is never farther away than HV_STIMER_HORIZON_100NS. timer_disarm: no longer, please;
	 * an expiry that is under way already does no harm. Both are called with the lock of VP vp
	 * held, which hv_stimer_expired() takes, so neither may wait for a call of it to return.
	 */
	void (*timer_arm)(void *ctx, uint32_t vp, unsigned n, uint64_t due_100ns);
	void (*timer_disarm)(void *ctx, uint32_t vp, unsigned n);
	/*
	 * The guest on VP vp reports a crash: P0 to P4 of the TLFS's crash registers, and its last
	 * words, if it gave any: len bytes, not terminated, gone after the call. The guest goes on
	 * when this returns. On the VP's own thread, no lock.
	 */
	void (*crash)(void *ctx, uint32_t vp, const uint64_t params[HV_CRASH_PARAMS],
		      const char *message, size_t len);
	/*
	 * The guest asked to see its invariant TSC: where KVM hides CPUID 0x80000007 EDX[8] from
	 * guests of Hyper-V, write HV_EXPOSE_INVARIANT_TSC to its copy of this MSR. Once for each
	 * write of 1. On the VP's own thread, no lock.
	 */
	void (*tsc_invariant)(void *ctx, uint32_t vp);
	/*
	 * XMM0 to XMM5 of VP vp, in order. Called only by hypercalls whose input lies there. On the
	 * VP's own thread, no lock.
	 */
	void (*xmm_read)(void *ctx, uint32_t vp, uint8_t xmm[HV_HYPERCALL_XMM_BYTES]);
	/* The guest spins on a lock that another VP may hold: yield. Own thread, no lock. May be NULL. */
	void (*spin_wait)(void *ctx, uint32_t vp);
	/* Local APIC ID of VP vp; constant. No lock. */
	uint32_t (*apic_id)(void *ctx, uint32_t vp);
	/*
	 * Start VP vp, which waits for INIT or SIPI, with these registers, the others as after INIT;
	 * mode bits have been checked to form long mode, nothing else. Returns HV_STATUS_SUCCESS,
	 * HV_STATUS_INVALID_VP_STATE when it is not waiting (any more: two VPs may try at once), or
	 * HV_STATUS_INVALID_REGISTER_VALUE. Must not wait for VP vp to run. On the thread of the VP
	 * that asks, no lock.
	 */
	uint16_t (*start_vp)(void *ctx, uint32_t vp, const struct hv_vp_context *context);
};

struct hv_config {
	uint32_t vps;
	uint64_t tsc_hz;        /* more than 10 MHz, or there is no reference time */
	uint64_t told_tsc_hz;   /* what TSC_FREQUENCY says in place of that; 0: that */
	uint64_t apic_hz;       /* local APIC timer, before the divider */
	uint8_t hypercall_port; /* the hypercall page traps with `out imm8, eax` to it */
	struct hv_features features;
};

enum hv_msr_result {
	HV_MSR_OK,
	HV_MSR_GP, /* unimplemented, off, read-only, or an illegal value */
};

/* Registers of a hypercall made in 64-bit mode (TLFS, hypercall inputs). */
struct hv_hypercall_regs {
	uint64_t rcx; /* IN: control word */
	uint64_t rdx; /* IN: input GPA, or the first 8 bytes of a fast call */
	uint64_t r8;  /* IN: output GPA, or the next 8 bytes */
	uint64_t rax; /* OUT: result value */
};

enum hv_hypercall_result {
	HV_HYPERCALL_DONE,
	HV_HYPERCALL_UD, /* inject #UD at the call; rax is untouched */
};

struct hv_partition;

/*
 * Makes a partition with cfg->vps VPs. cfg->features must have passed hv_features_check() for user
 * mode and these ops. ops must outlive it. Returns NULL when out of memory.
 * hv_partition_free(NULL) is harmless. Memory of VPs that a guest leaves alone is not touched.
 */
struct hv_partition *hv_partition_new(const struct hv_config *cfg, const struct hv_host_ops *ops,
				      void *ctx);
void hv_partition_free(struct hv_partition *p);

/*
 * System reset: every register back to its reset value, timers disarmed, overlays gone and the RAM
 * beneath them back. Counters, ports and reference time stay. No other call for this partition may
 * run at the same time.
 */
void hv_partition_reset(struct hv_partition *p);

/*
 * The CPUID leaf of 0x40000000-0x400000ff that partitions of this configuration show. out is eax,
 * ebx, ecx, edx. Returns false where there is none. Derived from the features that are on.
 */
bool hv_cpuid_leaf(const struct hv_config *cfg, uint32_t function, uint32_t out[4]);

/* Calls fn for every leaf that partitions of this configuration show, in ascending order. */
void hv_cpuid_each(const struct hv_config *cfg,
		   void (*fn)(void *ctx, uint32_t function, const uint32_t reg[4]), void *ctx);

/* One RDMSR or WRMSR in [HV_MSR_FIRST, HV_MSR_LAST] by VP vp. *val is untouched on HV_MSR_GP. */
enum hv_msr_result hv_msr_read(struct hv_partition *p, uint32_t vp, uint32_t msr, uint64_t *val);
enum hv_msr_result hv_msr_write(struct hv_partition *p, uint32_t vp, uint32_t msr, uint64_t val);

/*
 * A trap of the hypercall page from 64-bit kernel mode; the host makes sure that it is one. Sets
 * r->rax on HV_HYPERCALL_DONE. No other register of the guest changes.
 */
enum hv_hypercall_result hv_hypercall(struct hv_partition *p, uint32_t vp,
				      struct hv_hypercall_regs *r);

/*
 * Reference time (100 ns units): high64(guest TSC * scale) + offset, in the reference TSC page,
 * TIME_REF_COUNT and timers alike. Zero is where the guest TSC is 0, or where it was guest_tsc when
 * hv_ref_time_start() said so, which is to happen before the first VP runs. A value of 2^63 or more
 * is one below 0: the guest TSC started later than reference time.
 */
void hv_ref_time_start(struct hv_partition *p, uint64_t guest_tsc);
uint64_t hv_ref_time_100ns(struct hv_partition *p, uint32_t vp);

/* The smallest guest TSC at which reference time is t_100ns or more; UINT64_MAX if there is none. */
uint64_t hv_ref_time_to_tsc(const struct hv_partition *p, uint64_t t_100ns);

/* Timers that are due later than this (some 200 years) are not armed at all. */
#define HV_STIMER_HORIZON_100NS (1ull << 56)

/* Timer n of VP vp may be due. Too early, it is armed again; not armed at all, nothing happens. */
void hv_stimer_expired(struct hv_partition *p, uint32_t vp, unsigned n);

/*
 * Queues a message for SINT sint of VP vp and puts it into its slot as soon as that is free, in
 * the order of calls. type, payload_bytes, origin and payload of *m count. Returns an HV_STATUS:
 * SUCCESS, INVALID_SYNIC_STATE when SynIC or message page are off (nothing is queued),
 * INSUFFICIENT_BUFFERS when HV_SYNIC_QUEUE_MESSAGES wait already, INVALID_PARAMETER for a type of 0,
 * too long a payload or a SINT that does not exist, INVALID_VP_INDEX.
 */
uint16_t hv_synic_post_message(struct hv_partition *p, uint32_t vp, unsigned sint,
			       const struct hv_message *m);

/*
 * Sets event flag flag of SINT sint of VP vp, and raises the SINT's interrupt unless it was set
 * already. Returns an HV_STATUS: SUCCESS, INVALID_SYNIC_STATE when SynIC or event flags page are
 * off or the SINT is masked, INVALID_PARAMETER, INVALID_VP_INDEX.
 */
uint16_t hv_synic_signal_event(struct hv_partition *p, uint32_t vp, unsigned sint, uint16_t flag);

/*
 * Raises the interrupt of SINT sint of VP vp, with neither message nor event. Returns an HV_STATUS:
 * SUCCESS (also when the source is polled, and nothing was raised), INVALID_SYNIC_STATE when SynIC
 * is off or the SINT is masked, INVALID_PARAMETER, INVALID_VP_INDEX.
 */
uint16_t hv_synic_raise(struct hv_partition *p, uint32_t vp, unsigned sint);

/*
 * Connects a host's port to the partition, also while VPs run. Its functions run on the thread of the
 * VP that makes the hypercall, no lock held, for several VPs at once, and may call
 * hv_synic_post_message() and hv_synic_signal_event(). See hv_ports_connect() for the rest.
 */
int hv_port_connect(struct hv_partition *p, const struct hv_port *port);
int hv_port_disconnect(struct hv_partition *p, const struct hv_port *port);

/* The partition's ports, for their counters. */
const struct hv_ports *hv_partition_ports(const struct hv_partition *p);

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

/* The same for hypercalls, in ascending order of their codes; unknown codes make the last line. */
struct hv_call_count {
	const char *name;
	uint16_t code; /* 0 for the "unknown" line */
	uint64_t calls;
	uint64_t failed; /* how many of them had another status than success, or gave #UD */
};
size_t hv_call_counts(const struct hv_partition *p, struct hv_call_count *out, size_t max);

#endif
