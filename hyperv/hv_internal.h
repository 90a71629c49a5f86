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
#define HV_MSR_ROWS         7     /* rows of the table in hv_msr.c */
#define HV_MSR_SLOTS        0x200 /* the TLFS assigns none from there to HV_MSR_LAST */

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

/* What belongs to one VP. Each starts a cache line, lest VPs at work disturb one another. */
struct hv_vp {
	_Alignas(HV_CACHE_LINE_BYTES) uint32_t index;
	struct hv_counter hypercalls;
	struct hv_msr_counter msr[HV_MSR_ROWS + 1]; /* by row; the last: unimplemented MSRs */
};

struct hv_partition {
	/* Constant once made. */
	struct hv_config cfg;
	const struct hv_host_ops *ops;
	void *ctx;
	uint8_t msr_row[HV_MSR_SLOTS]; /* msr - HV_MSR_FIRST -> row */

	/* The lock is held to write any of these; the registers are read without it. */
	_Alignas(HV_CACHE_LINE_BYTES) pthread_mutex_t lock;
	_Atomic uint64_t guest_os_id;
	_Atomic uint64_t hypercall;
	struct hv_overlay hypercall_page;

	struct hv_vp vp[]; /* cfg.vps of them */
};

static inline struct hv_vp *hv_vp(struct hv_partition *p, uint32_t vp)
{
	assert(vp < p->cfg.vps);
	return &p->vp[vp];
}

/* One access to an MSR, as its row's functions see it. */
struct hv_msr_access {
	struct hv_partition *p;
	struct hv_vp *vp;
	uint64_t val; /* IN for writes, OUT for reads */
};

typedef enum hv_msr_result (*hv_msr_fn)(struct hv_msr_access *a);

struct hv_msr_row {
	uint32_t msr;
	const char *name;
	hv_msr_fn read;     /* NULL: reads give #GP */
	hv_msr_fn write;    /* NULL: writes give #GP */
	uint64_t writable;  /* bits of a written value that reach write(); the others are ignored */
	uint32_t privilege; /* the bit of HYPERV_CPUID_FEATURES EAX that promises this MSR */
	uint32_t feature;   /* the bit of its EDX that does too, or 0 */
};

/* HYPERV_CPUID_FEATURES EAX and EDX, as the MSR rows make them. */
struct hv_msr_features {
	uint32_t privileges_eax;
	uint32_t features_edx;
};

/* hv_msr.c */
void hv_msr_map(uint8_t msr_row[HV_MSR_SLOTS]);
struct hv_msr_features hv_msr_features(void);

/* hv_hypercall.c: the two registers that rule the hypercall page, and what the page holds */
enum hv_msr_result hv_guest_os_id_write(struct hv_msr_access *a);
enum hv_msr_result hv_hypercall_msr_write(struct hv_msr_access *a);
void hv_hypercall_page_fill(uint8_t page[HV_HYP_PAGE_SIZE], uint8_t port);

#endif
