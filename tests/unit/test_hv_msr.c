/* SPDX-License-Identifier: MIT */
/* Every synthetic MSR: reset value, read, write, faults, counts; and VPs that work at once. */
#include "tests/unit/suites.h"
#include "hyperv/hv_internal.h"

#include <check.h>
#include <string.h>

#include "tests/unit/fake_hv_host.h"

#define VPS    3
#define TSC_HZ 2595123456ull
#define OS_ID  0x8100060100000000ull

static const struct hv_config cfg = {
	.vps = VPS,
	.tsc_hz = TSC_HZ,
	.apic_hz = 1000000000,
	.hypercall_port = 0xe5,
};

static struct fake_hv_host host;
static struct hv_partition *p;

static void setup(void)
{
	fake_hv_host_init(&host);
	p = hv_partition_new(&cfg, &fake_hv_host_ops, &host);
	ck_assert_ptr_nonnull(p);
}

static void teardown(void)
{
	hv_partition_free(p);
	fake_hv_host_fini(&host);
}

static uint64_t read_ok(uint32_t vp, uint32_t msr)
{
	uint64_t val = 0x1234;

	ck_assert_int_eq(hv_msr_read(p, vp, msr, &val), HV_MSR_OK);
	return val;
}

/* What each MSR is to do, as seen by VP 2. All rows must be here: see every_row_is_tested. */
static const struct expect {
	uint32_t msr;
	const char *name;
	uint64_t reset;
	bool writable;
	uint64_t write, then; /* written value, and what is read afterwards */
} expect[] = {
	{HV_X64_MSR_GUEST_OS_ID, "GUEST_OS_ID", 0, true, UINT64_MAX, UINT64_MAX},
	{HV_X64_MSR_HYPERCALL, "HYPERCALL", 0, true, UINT64_MAX, UINT64_MAX - 1},
	{HV_X64_MSR_VP_INDEX, "VP_INDEX", 2, false, 1, 2},
	{HV_X64_MSR_RESET, "RESET", 0, true, UINT64_MAX - 1, 0},
	{HV_X64_MSR_TIME_REF_COUNT, "TIME_REF_COUNT", 0, false, 1, 0},
	{HV_X64_MSR_TSC_FREQUENCY, "TSC_FREQUENCY", TSC_HZ, false, 1, TSC_HZ},
	{HV_X64_MSR_APIC_FREQUENCY, "APIC_FREQUENCY", 1000000000, false, 1, 1000000000},
};

#define EXPECTED (sizeof(expect) / sizeof(expect[0]))

START_TEST(every_row_is_tested)
{
	ck_assert_uint_eq(EXPECTED, HV_MSR_ROWS);
}
END_TEST

START_TEST(reset_read_write)
{
	const struct expect *e = &expect[_i];
	enum hv_msr_result want = e->writable ? HV_MSR_OK : HV_MSR_GP;

	ck_assert_uint_eq(read_ok(2, e->msr), e->reset);
	ck_assert_int_eq(hv_msr_write(p, 2, e->msr, e->write), want);
	ck_assert_uint_eq(read_ok(2, e->msr), e->then);
	ck_assert_uint_eq(atomic_load(&host.resets), 0);

	hv_partition_reset(p);
	ck_assert_uint_eq(read_ok(2, e->msr), e->reset);
}
END_TEST

START_TEST(accesses_are_counted)
{
	const struct expect *e = &expect[_i];
	struct hv_msr_count out[2];

	read_ok(0, e->msr);
	read_ok(0, e->msr);
	read_ok(2, e->msr);
	hv_msr_write(p, 1, e->msr, 0);
	hv_partition_reset(p); /* counts go on */
	ck_assert_uint_eq(hv_msr_counts(p, out, 2), 1);
	ck_assert_str_eq(out[0].name, e->name);
	ck_assert_uint_eq(out[0].msr, e->msr);
	ck_assert_uint_eq(out[0].reads, 3);
	ck_assert_uint_eq(out[0].writes, 1);
	ck_assert_uint_eq(out[0].faults, e->writable ? 0 : 1);
}
END_TEST

START_TEST(all_other_numbers_fault)
{
	uint64_t before[EXPECTED], numbers = 0;
	struct hv_msr_count out;

	for (size_t i = 0; i < EXPECTED; i++)
		before[i] = read_ok(2, expect[i].msr);
	hv_partition_free(p);
	p = hv_partition_new(&cfg, &fake_hv_host_ops, &host);
	ck_assert_ptr_nonnull(p);
	for (uint32_t msr = HV_MSR_FIRST; msr <= HV_MSR_LAST; msr++) {
		uint64_t val = 0x1234;
		bool ours = false;

		for (size_t i = 0; i < EXPECTED; i++)
			ours |= expect[i].msr == msr;
		if (ours)
			continue;
		ck_assert_int_eq(hv_msr_read(p, 0, msr, &val), HV_MSR_GP);
		ck_assert_uint_eq(val, 0x1234);
		ck_assert_int_eq(hv_msr_write(p, 0, msr, 0), HV_MSR_GP);
		numbers++;
	}
	ck_assert_uint_eq(numbers, 4096 - EXPECTED);
	ck_assert_uint_eq(hv_msr_counts(p, &out, 1), 1);
	ck_assert_str_eq(out.name, "unimplemented");
	ck_assert_uint_eq(out.msr, 0);
	ck_assert_uint_eq(out.reads, numbers);
	ck_assert_uint_eq(out.writes, numbers);
	ck_assert_uint_eq(out.faults, 2 * numbers);
	for (size_t i = 0; i < EXPECTED; i++)
		ck_assert_uint_eq(read_ok(2, expect[i].msr), before[i]);
}
END_TEST

START_TEST(numbers_outside_the_range_fault)
{
	static const uint32_t msr[] = {0, HV_MSR_FIRST - 1, HV_MSR_LAST + 1, 0xc0000080,
				       UINT32_MAX};
	uint64_t val = 0x1234;

	for (size_t i = 0; i < sizeof(msr) / sizeof(msr[0]); i++) {
		ck_assert_int_eq(hv_msr_read(p, 0, msr[i], &val), HV_MSR_GP);
		ck_assert_int_eq(hv_msr_write(p, 0, msr[i], 0), HV_MSR_GP);
	}
	ck_assert_uint_eq(val, 0x1234);
}
END_TEST

START_TEST(counts_stop_at_max)
{
	struct hv_msr_count out[3] = {[2] = {.name = "untouched"}};

	ck_assert_uint_eq(hv_msr_counts(p, out, 3), 0);
	for (size_t i = 0; i < EXPECTED; i++)
		read_ok(0, expect[i].msr);
	ck_assert_uint_eq(hv_msr_counts(p, NULL, 0), 0);
	ck_assert_uint_eq(hv_msr_counts(p, out, 2), 2);
	ck_assert_uint_eq(out[0].msr, HV_X64_MSR_GUEST_OS_ID);
	ck_assert_uint_eq(out[1].msr, HV_X64_MSR_HYPERCALL);
	ck_assert_str_eq(out[2].name, "untouched");
}
END_TEST

START_TEST(counts_ascend)
{
	struct hv_msr_count out[HV_MSR_ROWS + 2];
	uint64_t val;

	for (size_t i = EXPECTED; i-- > 0;)
		read_ok(0, expect[i].msr);
	hv_msr_read(p, 1, 0x40000073, &val); /* VP_ASSIST_PAGE */
	ck_assert_uint_eq(hv_msr_counts(p, out, HV_MSR_ROWS + 2), HV_MSR_ROWS + 1);
	for (size_t i = 1; i < HV_MSR_ROWS; i++)
		ck_assert_uint_lt(out[i - 1].msr, out[i].msr);
	ck_assert_uint_eq(out[HV_MSR_ROWS].msr, 0);
}
END_TEST

START_TEST(vp_index_is_each_vps_own)
{
	for (uint32_t vp = 0; vp < VPS; vp++)
		ck_assert_uint_eq(read_ok(vp, HV_X64_MSR_VP_INDEX), vp);
}
END_TEST

START_TEST(reference_time_is_the_hosts)
{
	static const uint64_t times[] = {1, UINT32_MAX + 1ull, UINT64_MAX};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		atomic_store(&host.now_100ns, times[i]);
		for (uint32_t vp = 0; vp < VPS; vp++)
			ck_assert_uint_eq(read_ok(vp, HV_X64_MSR_TIME_REF_COUNT), times[i]);
	}
}
END_TEST

START_TEST(only_bit_0_resets)
{
	ck_assert_int_eq(hv_msr_write(p, 0, HV_X64_MSR_RESET, 0), HV_MSR_OK);
	ck_assert_int_eq(hv_msr_write(p, 0, HV_X64_MSR_RESET, 2), HV_MSR_OK);
	ck_assert_uint_eq(atomic_load(&host.resets), 0);
	ck_assert_int_eq(hv_msr_write(p, 1, HV_X64_MSR_RESET, 1), HV_MSR_OK);
	ck_assert_uint_eq(atomic_load(&host.resets), 1);
	ck_assert_int_eq(hv_msr_write(p, 1, HV_X64_MSR_RESET, UINT64_MAX), HV_MSR_OK);
	ck_assert_uint_eq(atomic_load(&host.resets), 2);
	ck_assert_uint_eq(read_ok(1, HV_X64_MSR_RESET), 0);
}
END_TEST

START_TEST(vps_share_no_cache_line)
{
	for (uint32_t vp = 0; vp < VPS; vp++)
		ck_assert_uint_eq((uintptr_t)&p->vp[vp] % HV_CACHE_LINE_BYTES, 0);
	ck_assert_uint_eq(sizeof(p->vp[0]) % HV_CACHE_LINE_BYTES, 0);
}
END_TEST

#define ROUNDS 2000

/* Reads everything and keeps switching the hypercall page between two pages of this VP's. */
static void *busy_vp(void *arg)
{
	uint32_t vp = *(uint32_t *)arg;
	uint64_t enable = HV_X64_MSR_HYPERCALL_ENABLE;
	uint64_t val, last = 0, errors = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct hv_hypercall_regs r = {.rcx = i};
		uint64_t gpa = fake_page_gpa(2 * vp + i % 2);

		errors += hv_msr_read(p, vp, HV_X64_MSR_VP_INDEX, &val) != HV_MSR_OK || val != vp;
		errors += hv_msr_read(p, vp, HV_X64_MSR_TIME_REF_COUNT, &val) != HV_MSR_OK;
		errors += val < last;
		last = val;
		errors += hv_msr_write(p, vp, HV_X64_MSR_GUEST_OS_ID, i % 5) != HV_MSR_OK;
		errors += hv_msr_write(p, vp, HV_X64_MSR_HYPERCALL, gpa | enable) != HV_MSR_OK;
		errors += hv_msr_read(p, vp, HV_X64_MSR_HYPERCALL, &val) != HV_MSR_OK;
		errors += hv_msr_read(p, vp, HV_X64_MSR_GUEST_OS_ID, &val) != HV_MSR_OK || val > 4;
		errors += hv_msr_write(p, vp, HV_X64_MSR_VP_INDEX, 0) != HV_MSR_GP;
		errors += hv_msr_read(p, vp, HV_MSR_LAST, &val) != HV_MSR_GP;
		hv_hypercall(p, vp, &r);
		atomic_fetch_add(&host.now_100ns, 1);
	}
	return (void *)(uintptr_t)errors;
}

static uint64_t counted(uint32_t msr, uint64_t *faults)
{
	struct hv_msr_count out[HV_MSR_ROWS + 1];
	size_t n = hv_msr_counts(p, out, HV_MSR_ROWS + 1);

	for (size_t i = 0; i < n; i++) {
		if (out[i].msr != msr)
			continue;
		*faults = out[i].faults;
		return out[i].reads + out[i].writes;
	}
	*faults = 0;
	return 0;
}

START_TEST(vps_at_work_at_once)
{
	uint32_t vp[2] = {0, 1};
	pthread_t thread[2];
	uint64_t faults;

	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, busy_vp, &vp[i]), 0);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_le(counted(HV_X64_MSR_HYPERCALL, &faults), 4 * ROUNDS);
	for (int i = 0; i < 2; i++) {
		void *errors;

		ck_assert_int_eq(pthread_join(thread[i], &errors), 0);
		ck_assert_ptr_null(errors);
	}
	ck_assert_uint_eq(counted(HV_X64_MSR_HYPERCALL, &faults), 4 * ROUNDS);
	ck_assert_uint_eq(faults, 0);
	ck_assert_uint_eq(counted(HV_X64_MSR_VP_INDEX, &faults), 4 * ROUNDS);
	ck_assert_uint_eq(faults, 2 * ROUNDS);
	ck_assert_uint_eq(counted(0, &faults), 2 * ROUNDS);
	ck_assert_uint_eq(hv_hypercall_count(p), 2 * ROUNDS);
	hv_partition_reset(p);
	ck_assert(fake_ram_pristine(&host));
}
END_TEST

Suite *hv_msr_suite(void)
{
	Suite *s = suite_create("hv_msr");
	TCase *rows = tcase_create("rows");
	TCase *smp = tcase_create("smp");

	tcase_add_checked_fixture(rows, setup, teardown);
	tcase_add_test(rows, every_row_is_tested);
	tcase_add_loop_test(rows, reset_read_write, 0, EXPECTED);
	tcase_add_loop_test(rows, accesses_are_counted, 0, EXPECTED);
	tcase_add_test(rows, all_other_numbers_fault);
	tcase_add_test(rows, numbers_outside_the_range_fault);
	tcase_add_test(rows, counts_stop_at_max);
	tcase_add_test(rows, counts_ascend);
	tcase_add_test(rows, vp_index_is_each_vps_own);
	tcase_add_test(rows, reference_time_is_the_hosts);
	tcase_add_test(rows, only_bit_0_resets);
	suite_add_tcase(s, rows);

	tcase_add_checked_fixture(smp, setup, teardown);
	tcase_add_test(smp, vps_share_no_cache_line);
	tcase_add_test(smp, vps_at_work_at_once);
	suite_add_tcase(s, smp);
	return s;
}
