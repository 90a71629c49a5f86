/* SPDX-License-Identifier: MIT */
/* The partition from the inside: its state, and what the files of hyperv/ ask of one another. */
#ifndef VPUP_HYPERV_HV_INTERNAL_H
#define VPUP_HYPERV_HV_INTERNAL_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "hyperv/hv.h"
#include "hyperv/hv_overlay.h"

#define HV_CACHE_LINE_BYTES 64
#define HV_MSR_ROWS         24    /* rows of the table in hv_msr.c */
#define HV_MSR_SLOTS        0x200 /* the TLFS assigns none from there to HV_MSR_LAST */
#define HV_CALL_ROWS        15    /* rows of the table in hv_call_table.c */
#define HV_IRQS_MAX         24    /* that one pass under a VP's lock can raise: see hv_vp_irq() */

/* Written by one VP's thread alone, read by any: an atomic read-modify-write is not needed. */
struct hv_counter {
	_Atomic uint64_t n;
};

static inline void hv_counter_inc(struct hv_counter *c)
{
	uint64_t n = atomic_load_explicit(&c->n, memory_order_relaxed);

	atomic_store_explicit(&c->n, n + 1, memory_order_relaxed);
}

static inline uint64_t hv_counter_read(const struct hv_counter *c)
{
	return atomic_load_explicit(&c->n, memory_order_relaxed);
}

struct hv_msr_counter {
	struct hv_counter reads, writes; /* attempts */
	struct hv_counter faults;        /* how many of them gave #GP */
};

struct hv_call_counter {
	struct hv_counter calls, failed;
};

/* An interrupt to be raised once the VP's lock is free. */
struct hv_irq {
	uint8_t vector;
	bool auto_eoi;
};

struct hv_stimer {
	uint64_t config, count; /* as the MSRs show them */
	uint64_t due_100ns;     /* the expiry that comes next, by its nominal time */
	uint64_t fire_100ns;    /* when the host was asked to call: due, or later to catch up */
	bool armed;
	bool waiting;               /* an expiry message has found no free slot yet... */
	uint64_t waiting_due_100ns; /* ...and this was its time */
};

/*
 * What belongs to one VP. Each starts a cache line, lest VPs at work disturb one another. What is
 * large and rarely used stands elsewhere: its memory is not touched before its use.
 */
struct hv_vp {
	/* Of its own thread alone, but for readers of counters. */
	_Alignas(HV_CACHE_LINE_BYTES) uint32_t index;
	struct hv_msr_counter msr[HV_MSR_ROWS + 1];    /* by row; the last: unimplemented MSRs */
	struct hv_call_counter call[HV_CALL_ROWS + 1]; /* by row; the last: unknown codes */

	/*
	 * The lock is held for all below. Registers, timer[].config excepted, are written by the VP's
	 * own thread only, which therefore reads them without it.
	 */
	_Alignas(HV_CACHE_LINE_BYTES) pthread_mutex_t lock;
	uint64_t assist;
	uint64_t scontrol, siefp, simp;
	uint64_t sint[HV_SYNIC_SINT_COUNT];
	struct hv_message_queue queue[HV_SYNIC_SINT_COUNT];
	struct hv_stimer timer[HV_STIMER_COUNT];
	unsigned irqs;
	struct hv_irq irq[HV_IRQS_MAX];

	struct hv_overlay assist_page, event_page, message_page;
	struct hv_message (*message)[HV_SYNIC_QUEUE_MESSAGES]; /* of each SINT; constant */
};

struct hv_partition {
	/* Constant once made, and once hv_ref_time_start() was called. */
	struct hv_config cfg;
	const struct hv_host_ops *ops;
	void *ctx;
	void *allocation;
	uint8_t (*page)[HV_HYP_PAGE_SIZE];                     /* of all overlays; owned */
	struct hv_message (*message)[HV_SYNIC_QUEUE_MESSAGES]; /* of all VPs; owned */
	uint64_t tsc_scale; /* 100 ns units for each TSC tick, times 2^64 */
	int64_t tsc_offset;
	uint8_t msr_row[HV_MSR_SLOTS]; /* msr - HV_MSR_FIRST -> row */

	/* Own locks, or none. */
	struct hv_overlays overlays;
	struct hv_ports ports;
	_Atomic uint64_t crash[HV_CRASH_PARAMS];
	_Atomic uint64_t reenlightenment, tsc_emulation, tsc_invariant;

	/* The lock is held to write any of these; the registers are read without it. */
	_Alignas(HV_CACHE_LINE_BYTES) pthread_mutex_t lock;
	_Atomic uint64_t guest_os_id;
	_Atomic uint64_t hypercall;
	_Atomic uint64_t reference_tsc;
	struct hv_overlay hypercall_page;
	struct hv_overlay tsc_page;

	struct hv_vp vp[]; /* cfg.vps of them */
};

static inline struct hv_vp *hv_vp(struct hv_partition *p, uint32_t vp)
{
	assert(vp < p->cfg.vps);
	return &p->vp[vp];
}

static inline bool hv_has(const struct hv_partition *p, enum hv_feature f)
{
	return hv_features_have(&p->cfg.features, f);
}

/* hv_partition.c: the VP's lock. Interrupts of hv_vp_irq() are raised when it is free again. */
void hv_vp_lock(struct hv_vp *vp);
void hv_vp_unlock(struct hv_partition *p, struct hv_vp *vp);
void hv_vp_irq(struct hv_vp *vp, uint8_t vector, bool auto_eoi);

/* One access to an MSR, as its row's functions see it. */
struct hv_msr_access {
	struct hv_partition *p;
	struct hv_vp *vp;
	unsigned n;   /* which one, in rows of several */
	uint64_t val; /* IN for writes, OUT for reads */
};

typedef enum hv_msr_result (*hv_msr_fn)(struct hv_msr_access *a);

struct hv_msr_row {
	uint32_t msr;        /* the first, if there are several... */
	uint8_t count, step; /* ...this many of them, this far apart; 0: just the one */
	uint8_t feature;     /* enum hv_feature: without it, all accesses give #GP */
	const char *name;
	hv_msr_fn read;    /* NULL: reads give #GP */
	hv_msr_fn write;   /* NULL: writes give #GP */
	uint64_t writable; /* bits of a written value that reach write(); the others are ignored */
};

/* hv_msr.c: lookup, and accesses that are not counted */
void hv_msr_map(uint8_t msr_row[HV_MSR_SLOTS]);
const struct hv_msr_row *hv_msr_row(unsigned row); /* NULL from HV_MSR_ROWS on */
enum hv_msr_result hv_msr_get(struct hv_partition *p, struct hv_vp *vp, uint32_t msr,
			      uint64_t *val);
enum hv_msr_result hv_msr_set(struct hv_partition *p, struct hv_vp *vp, uint32_t msr, uint64_t val);

/* A write to a register that shows an overlay page; its lock is held. */
enum hv_msr_result hv_page_msr_write(struct hv_partition *p, struct hv_overlay *o, uint64_t val);

/* hv_hypercall_page.c: the two registers that rule the hypercall page, and what the page holds */
enum hv_msr_result hv_guest_os_id_write(struct hv_msr_access *a);
enum hv_msr_result hv_hypercall_msr_write(struct hv_msr_access *a);
void hv_hypercall_page_fill(uint8_t page[HV_HYP_PAGE_SIZE], uint8_t port);

/* hv_time.c */
void hv_time_init(struct hv_partition *p);
enum hv_msr_result hv_time_ref_count_read(struct hv_msr_access *a);
enum hv_msr_result hv_reference_tsc_write(struct hv_msr_access *a);

/* hv_crash.c */
enum hv_msr_result hv_crash_param_read(struct hv_msr_access *a);
enum hv_msr_result hv_crash_param_write(struct hv_msr_access *a);
enum hv_msr_result hv_crash_ctl_read(struct hv_msr_access *a);
enum hv_msr_result hv_crash_ctl_write(struct hv_msr_access *a);

/* hv_synic.c. hv_synic_flush() puts what waits for a SINT into its slot; the lock is held. */
void hv_synic_reset(struct hv_partition *p, struct hv_vp *vp);
void hv_synic_flush(struct hv_partition *p, struct hv_vp *vp, unsigned sint);
enum hv_msr_result hv_vp_assist_write(struct hv_msr_access *a);
enum hv_msr_result hv_scontrol_write(struct hv_msr_access *a);
enum hv_msr_result hv_siefp_write(struct hv_msr_access *a);
enum hv_msr_result hv_simp_write(struct hv_msr_access *a);
enum hv_msr_result hv_eom_write(struct hv_msr_access *a);
enum hv_msr_result hv_sint_write(struct hv_msr_access *a);

/* hv_stimer.c. What follows the MSR functions is for hv_synic.c, with the lock held. */
void hv_stimer_reset(struct hv_partition *p, struct hv_vp *vp);
enum hv_msr_result hv_stimer_config_read(struct hv_msr_access *a);
enum hv_msr_result hv_stimer_config_write(struct hv_msr_access *a);
enum hv_msr_result hv_stimer_count_read(struct hv_msr_access *a);
enum hv_msr_result hv_stimer_count_write(struct hv_msr_access *a);
/* How many expiry messages wait for the slot of sint, and the timer whose turn it is. */
unsigned hv_stimer_waiting(const struct hv_vp *vp, unsigned sint, unsigned *timer);
void hv_stimer_message(struct hv_partition *p, struct hv_vp *vp, unsigned n, struct hv_message *m);
void hv_stimer_delivered(struct hv_vp *vp, unsigned n);

#endif
