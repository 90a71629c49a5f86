/* SPDX-License-Identifier: MIT */
/* Hypervisor CPUID leaves: what guests check before they believe, and features that match MSRs. */
#include "tests/unit/suites.h"
#include "hyperv/hv.h"

#include <check.h>
#include <string.h>

#include "tests/unit/fake_hv_host.h"

enum { EAX, EBX, ECX, EDX };

static struct hv_config cfg = {
	.vps = 240,
	.tsc_hz = 2595123456,
	.apic_hz = 1000000000,
	.hypercall_port = 0xe5,
};

static void setup(void)
{
	hv_features_default(&cfg.features, HV_MODE_USER, &fake_hv_host_ops);
}

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
	ck_assert(!hv_cpuid_leaf(&cfg, 0x4000007f, out));
	ck_assert(!hv_cpuid_leaf(&cfg, 0x40000083, out));
	ck_assert(!hv_cpuid_leaf(&cfg, 0x40000100, out)); /* a KVM signature here would win */
	ck_assert(!hv_cpuid_leaf(&cfg, 0, out));
	ck_assert(!hv_cpuid_leaf(&cfg, UINT32_MAX, out));
	ck_assert_mem_eq(out, before, sizeof(out));
	ck_assert(hv_cpuid_leaf(&cfg, last, out));
}
END_TEST

/* Which bits promise which MSR, from the TLFS and not from our table. */
static const struct {
	uint32_t msr;
	uint8_t eax_bit;
	int8_t edx_bit; /* -1: none */
} promises[] = {
	{0x40000000, 5, -1},  {0x40000001, 5, -1},  {0x40000002, 6, -1},  {0x40000003, 7, -1},
	{0x40000010, 0, -1},  {0x40000020, 1, -1},  {0x40000021, 9, -1},  {0x40000022, 11, 8},
	{0x40000023, 11, 8},  {0x40000070, 4, -1},  {0x40000080, 2, -1},  {0x4000009f, 2, -1},
	{0x400000b0, 3, -1},  {0x400000b7, 3, -1},  {0x400000e0, 8, -1},  {0x400000f0, 10, -1},
	{0x400000f1, 12, 11}, {0x40000100, 31, 10}, {0x40000105, 31, 10}, {0x40000106, 13, -1},
	{0x40000108, 13, -1}, {0x40000118, 15, -1},
};

/* For every feature switched off in turn: an MSR answers exactly where its bits are set. */
START_TEST(msrs_are_those_promised)
{
	struct fake_hv_host host;
	struct hv_partition *p;

	fake_hv_host_init(&host);
	cfg.features = fake_all_features();
	if (_i != HV_FEATURE_BASE)
		cfg.features.on &= ~HV_FEATURE_BIT(_i);
	p = hv_partition_new(&cfg, &fake_hv_host_ops, &host);
	ck_assert_ptr_nonnull(p);
	for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++) {
		uint32_t eax = reg(HYPERV_CPUID_FEATURES, EAX);
		uint32_t edx = reg(HYPERV_CPUID_FEATURES, EDX);
		bool promised = promises[i].eax_bit == 31 || eax >> promises[i].eax_bit & 1;
		uint64_t val;

		if (promises[i].edx_bit >= 0)
			promised = promised && edx >> promises[i].edx_bit & 1;
		ck_assert_msg((hv_msr_read(p, 0, promises[i].msr, &val) == HV_MSR_OK) == promised,
			      "MSR %#x without feature %d", promises[i].msr, _i);
	}
	hv_partition_free(p);
	fake_hv_host_fini(&host);
}
END_TEST

/* The same for hypercalls: denied exactly where the bit that gates them is clear. */
static const struct {
	uint16_t code;
	uint32_t function;
	unsigned reg;
	uint8_t bit;
} gates[] = {
	{0x02, 0x40000004, EAX, 2},  {0x03, 0x40000004, EAX, 2},  {0x13, 0x40000004, EAX, 2},
	{0x14, 0x40000004, EAX, 2},  {0x0b, 0x40000004, EAX, 10}, {0x15, 0x40000004, EAX, 10},
	{0x15, 0x40000004, EAX, 11}, {0x46, 0x40000003, EBX, 1},  {0x50, 0x40000003, EBX, 17},
	{0x51, 0x40000003, EBX, 17}, {0x5c, 0x40000003, EBX, 4},  {0x5d, 0x40000003, EBX, 5},
	{0x99, 0x40000003, EBX, 21}, {0x9a, 0x40000003, EBX, 21}, {0x8001, 0x40000003, EBX, 20},
};

START_TEST(calls_are_those_promised)
{
	struct fake_hv_host host;
	struct hv_partition *p;

	fake_hv_host_init(&host);
	cfg.features = fake_all_features();
	if (_i != HV_FEATURE_BASE)
		cfg.features.on &= ~HV_FEATURE_BIT(_i);
	p = hv_partition_new(&cfg, &fake_hv_host_ops, &host);
	ck_assert_ptr_nonnull(p);
	for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++) {
		struct hv_hypercall_regs r = {.rcx = gates[i].code, .rdx = 1, .r8 = 1};
		bool promised = reg(gates[i].function, gates[i].reg) >> gates[i].bit & 1;

		ck_assert_int_eq(hv_hypercall(p, 0, &r), HV_HYPERCALL_DONE);
		ck_assert_msg((r.rax != HV_STATUS_ACCESS_DENIED) == promised,
			      "call %#x without feature %d", gates[i].code, _i);
	}
	hv_partition_free(p);
	fake_hv_host_fini(&host);
}
END_TEST

START_TEST(features_exact)
{
	/* No ipi, no tsc-invariant, no partition-id; and never the bit that makes a root. */
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EAX), 0x2aef);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EBX), 0x320030);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, ECX), 0);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EDX), 0xa0510);
	cfg.features = fake_all_features();
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EAX), 0xaaef);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EBX), 0x320032);
	cfg.features.on = HV_FEATURE_BIT(HV_FEATURE_BASE);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EAX), 0x20);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EBX), 0);
	ck_assert_uint_eq(reg(HYPERV_CPUID_FEATURES, EDX), 0);
}
END_TEST

START_TEST(hints)
{
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, EAX), 1u << 5 | 1u << 9);
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, EBX), UINT32_MAX);
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, ECX), 0);
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, EDX), 0);
	cfg.features = fake_all_features();
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, EAX), 0xe20);
	ck_assert_uint_eq(reg(HYPERV_CPUID_ENLIGHTMENT_INFO, EBX), 4095);
}
END_TEST

START_TEST(names_and_numbers_are_the_configured_ones)
{
	char msg[100];
	uint32_t out[4];

	ck_assert_int_eq(
		hv_features_parse(&cfg.features,
				  "vendor-id=abc,version-id-build=0x3839,version-id-major=10,"
				  "version-id-minor=2,version-id-spack=3,"
				  "version-id-sbranch=4,version-id-snumber=5",
				  msg, sizeof(msg)),
		0);
	ck_assert(hv_cpuid_leaf(&cfg, HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS, out));
	ck_assert_mem_eq(&out[EBX], "abc\0\0\0\0\0\0\0\0", 12);
	ck_assert(hv_cpuid_leaf(&cfg, HYPERV_CPUID_VERSION, out));
	ck_assert_uint_eq(out[EAX], 0x3839);
	ck_assert_uint_eq(out[EBX], 10 << 16 | 2);
	ck_assert_uint_eq(out[ECX], 3);
	ck_assert_uint_eq(out[EDX], 4 << 24 | 5);
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
	uint32_t function[32];
	unsigned count;
};

static void see(void *ctx, uint32_t function, const uint32_t got[4])
{
	struct seen *s = ctx;
	uint32_t want[4];

	ck_assert(hv_cpuid_leaf(&cfg, function, want));
	ck_assert_mem_eq(got, want, sizeof(want));
	s->function[s->count++] = function;
}

START_TEST(each_visits_all_in_order)
{
	struct seen s = {0};

	hv_cpuid_each(&cfg, see, &s);
	ck_assert_uint_eq(s.count, 14);
	for (unsigned i = 0; i < 11; i++)
		ck_assert_uint_eq(s.function[i], 0x40000000 + i);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(s.function[11 + i], 0x40000080 + i);
	ck_assert_uint_eq(reg(0x40000000, EAX), 0x4000000a);
	ck_assert_uint_eq(reg(0x40000080, EAX), 0x40000082);
	ck_assert_uint_eq(reg(0x40000081, EAX), 0x31235356); /* "VS#1" */
	ck_assert_uint_eq(reg(0x40000082, EAX), 0);
}
END_TEST

Suite *hv_cpuid_suite(void)
{
	Suite *s = suite_create("hv_cpuid");
	TCase *t = tcase_create("cpuid");

	tcase_add_test(t, vendor);
	tcase_add_test(t, interface);
	tcase_add_test(t, last_leaf_is_the_announced_one);
	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_test(t, msrs_are_those_promised, 0, HV_FEATURES);
	tcase_add_loop_test(t, calls_are_those_promised, 0, HV_FEATURES);
	tcase_add_test(t, features_exact);
	tcase_add_test(t, hints);
	tcase_add_test(t, names_and_numbers_are_the_configured_ones);
	tcase_add_test(t, limits_follow_the_configuration);
	tcase_add_test(t, each_visits_all_in_order);
	suite_add_tcase(s, t);
	return s;
}
