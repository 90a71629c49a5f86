/* SPDX-License-Identifier: MIT */
/* A partition on the fake host, with every feature on; and accesses that must succeed. */
#ifndef VPUP_TESTS_UNIT_HV_FIXTURE_H
#define VPUP_TESTS_UNIT_HV_FIXTURE_H

#include <check.h>

#include "tests/unit/fake_hv_host.h"

struct hv_fixture {
	struct hv_config cfg;
	struct fake_hv_host host;
	struct hv_partition *p;
};

static inline void hv_fixture_init(struct hv_fixture *f, uint32_t vps)
{
	f->cfg = (struct hv_config){
		.vps = vps,
		.tsc_hz = FAKE_TSC_HZ,
		.apic_hz = 1000000000,
		.hypercall_port = 0xe5,
		.features = fake_all_features(),
	};
	fake_hv_host_init(&f->host);
	f->p = hv_partition_new(&f->cfg, &fake_hv_host_ops, &f->host);
	ck_assert_ptr_nonnull(f->p);
	f->host.p = f->p;
}

static inline void hv_fixture_fini(struct hv_fixture *f)
{
	hv_partition_free(f->p);
	fake_hv_host_fini(&f->host);
}

static inline void hv_write(struct hv_fixture *f, uint32_t vp, uint32_t msr, uint64_t val)
{
	ck_assert_int_eq(hv_msr_write(f->p, vp, msr, val), HV_MSR_OK);
}

static inline uint64_t hv_read(struct hv_fixture *f, uint32_t vp, uint32_t msr)
{
	uint64_t val = 0;

	ck_assert_int_eq(hv_msr_read(f->p, vp, msr, &val), HV_MSR_OK);
	return val;
}

/* One slot of the message page that VP's SIMP shows at RAM page page. */
static inline struct hv_message *hv_slot(struct hv_fixture *f, unsigned page, unsigned sint)
{
	return (struct hv_message *)fake_page(&f->host, page) + sint;
}

/* What a guest does when it is done with a message: frees the slot, and writes EOM if asked to. */
static inline void hv_take(struct hv_fixture *f, uint32_t vp, struct hv_message *slot)
{
	bool pending;

	__atomic_store_n(&slot->type, HVMSG_NONE, __ATOMIC_SEQ_CST);
	pending = __atomic_load_n(&slot->flags, __ATOMIC_SEQ_CST) & HV_MESSAGE_PENDING;
	if (pending)
		hv_write(f, vp, HV_X64_MSR_EOM, 0);
}

#endif
