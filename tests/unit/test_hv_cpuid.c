/* SPDX-License-Identifier: MIT */
/* Hypervisor CPUID leaves: what guests check before they believe, and features that match MSRs. */
#include "tests/unit/suites.h"
#include "hyperv/hv.h"

#include <check.h>
#include <string.h>

#include "tests/unit/fake_hv_host.h"

enum { EAX, EBX, ECX, EDX };

static const struct hv_config cfg = {
	.vps = 240,
	.tsc_hz = 2595123456,
	.apic_hz = 1000000000,
	.hypercall_port = 0xe5,
};

static uint32_t reg(uint32_t function, unsigned r)
{
	uint32_t out[4];

	ck_assert(hv_cpuid_leaf(&cfg, function, out));
	return out[r];
}

START_TEST(vendor)
{
	uint32_t out[4];

	ck_assert(hv_cpuid_leaf(&cfg, HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS, out));
	ck_assert_mem_eq(&out[EBX], "Microsoft Hv", 12);
}
END_TEST

START_TEST(interface)
{
	uint32_t out[4];

	ck_assert(hv_cpuid_leaf(&cfg, HYPERV_CPUID_INTERFACE, out));
	ck_assert_mem_eq(&out[EAX], "Hv#1", 4);
	ck_assert_uint_eq(out[EBX] | out[ECX] | out[EDX], 0);
}
END_TEST

START_TEST(last_leaf_is_the_announced_one)
{
	uint32_t out[4] = {1, 2, 3, 4};
	uint32_t before[4];
	uint32_t last = reg(HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS, EAX);

	/* Linux takes nothing below 0x40000005 for Hyper-V. */
	ck_assert_uint_ge(last, HYPERV_CPUID_IMPLEMENT_LIMITS);
	memcpy(before, out, sizeof(out));
	ck_assert(!hv_cpuid_leaf(&cfg, last + 1, out));
	ck_assert(!hv_cpuid_leaf(&cfg, HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS - 1, out));
	ck_assert(!hv_cpuid_leaf(&cfg, 0x40000081, out));
	ck_assert(!hv_cpuid_leaf(&cfg, 0x40000100, out)); /* a KVM signature here would win */
	ck_assert(!hv_cpuid_leaf(&cfg, 0, out));
	ck_assert(!hv_cpuid_leaf(&cfg, UINT32_MAX, out));
	ck_assert_mem_eq(out, before, sizeof(out));
	ck_assert(hv_cpuid_leaf(&cfg, last, out));
}
END_TEST

/* Which bit of leaf 3 promises which MSR, from the TLFS and not from our table. */
static const struct {
	uint32_t msr;
	uint8_t eax_bit;
	int8_t edx_bit; /* -1: none */
} promises[] = {
	{0x40000000, 5, -1}, {0x40000001, 5, -1},  {0x40000002, 6, -1},  {0x40000003, 7, -1},
	{0x40000010, 0, -1}, {0x40000020, 1, -1},  {0x40000021, 9, -1},  {0x40000022, 11, 8},
	{0x40000023, 11, 8}, {0x40000070, 4, -1},  {0x40000080, 2, -1},  {0x400000b0, 3, -1},
	{0x400000e0, 8, -1}, {0x400000f0, 10, -1}, {0x40000106, 13, -1}, {0x40000118, 15, -1},
};

START_TEST(features_are_those_that_work)
{
	struct fake_hv_host host;
	struct hv_partition *p;
	uint32_t eax = 0, edx = 0;

	fake_hv_host_init(&host);
	p = hv_partition_new(&cfg, &fake_hv_host_ops, &host);
	ck_assert_ptr_nonnull(p);
	for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++) {
		uint64_t val;

		if (hv_msr_read(p, 0, promises[i].msr, &val) != HV_MSR_OK)
			continue;
		eax |= 1u << promises[i].eax_bit;
		if (promises[i].edx_bit >= 0)
			edx |= 1u << promises[i].edx_bit;
	}
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EAX), eax);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EDX), edx);
	hv_partition_free(p);
	fake_hv_host_fini(&host);
}
END_TEST

START_TEST(features_exact)
{
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EAX), 0x8e2);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EBX), 0); /* no calls, not a root partition */
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, ECX), 0);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EDX), 0x100);
}
END_TEST

START_TEST(hints)
{
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, EAX), 1u << 5 | 1u << 9);
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, EBX), UINT32_MAX);
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, ECX), 0);
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, EDX), 0);
}
END_TEST

START_TEST(limits_follow_the_configuration)
{
	struct hv_config one = cfg;
	uint32_t out[4];

	ck_assert_uint_eq(reg(HYPERV_CPUID_IMPLEMENT_LIMITS, EAX), 240);
	ck_assert_uint_eq(reg(HYPERV_CPUID_IMPLEMENT_LIMITS, EBX), 240);
	one.vps = 1;
	ck_assert(hv_cpuid_leaf(&one, HYPERV_CPUID_IMPLEMENT_LIMITS, out));
	ck_assert_uint_eq(out[EAX], 1);
	ck_assert_uint_eq(out[EBX], 1);
}
END_TEST

struct seen {
	uint32_t next;
	unsigned count;
};

static void see(void *ctx, uint32_t function, const uint32_t got[4])
{
	struct seen *s = ctx;
	uint32_t want[4];

	ck_assert_uint_eq(function, s->next++);
	ck_assert(hv_cpuid_leaf(&cfg, function, want));
	ck_assert_mem_eq(got, want, sizeof(want));
	s->count++;
}

START_TEST(each_visits_all_in_order)
{
	struct seen s = {.next = HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS};

	hv_cpuid_each(&cfg, see, &s);
	ck_assert_uint_eq(s.count, 6);
	ck_assert_uint_eq(s.next - 1, reg(HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS, EAX));
}
END_TEST

Suite *hv_cpuid_suite(void)
{
	Suite *s = suite_create("hv_cpuid");
	TCase *t = tcase_create("cpuid");

	tcase_add_test(t, vendor);
	tcase_add_test(t, interface);
	tcase_add_test(t, last_leaf_is_the_announced_one);
	tcase_add_test(t, features_are_those_that_work);
	tcase_add_test(t, features_exact);
	tcase_add_test(t, hints);
	tcase_add_test(t, limits_follow_the_configuration);
	tcase_add_test(t, each_visits_all_in_order);
	suite_add_tcase(s, t);
	return s;
}
