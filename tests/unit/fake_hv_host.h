/* SPDX-License-Identifier: MIT */
/*
 * A host for hyperv/ without a VM: a piece of RAM that starts above 0, a TSC that the test sets, and
 * a record of what the library asked for.
 */
#ifndef VPUP_TESTS_UNIT_FAKE_HV_HOST_H
#define VPUP_TESTS_UNIT_FAKE_HV_HOST_H

#include <stdatomic.h>

#include "hyperv/hv.h"

#define FAKE_RAM_BASE  0x10000ull
#define FAKE_RAM_PAGES 8
/* Half a page follows the last whole one: RAM, but no place for an overlay. */
#define FAKE_RAM_SIZE (FAKE_RAM_PAGES * HV_HYP_PAGE_SIZE + HV_HYP_PAGE_SIZE / 2)

#define FAKE_VPS_MAX 8

/* A TSC that ticks twice in 100 ns; a power of two, so that reference time is exactly half of it. */
#define FAKE_TSC_HZ 20000000ull

/* The APIC ID of a VP: not its number, as with threads on cores whose count is no power of two. */
#define FAKE_APIC_ID(vp) (3 * (vp) + 1)

struct fake_hv_timer {
	bool armed;
	uint64_t due_100ns;
	unsigned arms, disarms;
};

struct fake_hv_host {
	uint8_t *ram;
	struct hv_partition *p; /* whose pending timers fake_pass_to() expires */
	_Atomic uint64_t guest_tsc;
	_Atomic unsigned resets;
	_Atomic uint64_t irqs[FAKE_VPS_MAX]; /* how many */
	_Atomic unsigned last_vector[FAKE_VPS_MAX];
	_Atomic bool last_auto_eoi[FAKE_VPS_MAX];
	struct fake_hv_timer timer[FAKE_VPS_MAX][HV_STIMER_COUNT];
	uint64_t runtime_100ns;
	unsigned crashes;
	uint64_t crash_params[HV_CRASH_PARAMS];
	char crash_message[HV_CRASH_MESSAGE_MAX + 1];
	size_t crash_len; /* SIZE_MAX: no message */
	unsigned invariant_tscs, spins;
	unsigned xmm_reads;
	uint8_t xmm[HV_HYPERCALL_XMM_BYTES];
	unsigned starts;
	uint32_t started_vp;
	struct hv_vp_context started;
	uint16_t start_status;
};

/* All of them. */
extern const struct hv_host_ops fake_hv_host_ops;

/* Every feature that user mode has. */
struct hv_features fake_all_features(void);

/* RAM is filled so that each byte tells its page and its place in it. */
void fake_hv_host_init(struct fake_hv_host *h);
void fake_hv_host_fini(struct fake_hv_host *h);

/* Sets reference time, for a partition with FAKE_TSC_HZ, and nothing else. */
void fake_set_time(struct fake_hv_host *h, uint64_t t_100ns);

/* Lets reference time pass, and calls hv_stimer_expired() at each due time on the way. */
void fake_pass_to(struct fake_hv_host *h, uint64_t t_100ns);

/* GPA of the nth page of RAM, and the host's view of it. */
uint64_t fake_page_gpa(unsigned page);
uint8_t *fake_page(struct fake_hv_host *h, unsigned page);

/* Whether RAM (all of it, or one page) is as fake_hv_host_init() left it. */
bool fake_ram_pristine(const struct fake_hv_host *h);
bool fake_page_pristine(const struct fake_hv_host *h, unsigned page);

#endif
