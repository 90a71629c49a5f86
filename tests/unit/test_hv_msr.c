/* SPDX-License-Identifier: MIT */
/* Every synthetic MSR: reset value, read, write, faults, counts; and VPs that work at once. */
#include "tests/unit/suites.h"
#include "hyperv/hv_internal.h"

#include <check.h>
#include <string.h>

#include "tests/unit/hv_fixture.h"

#define VPS   3
#define OS_ID 0x8100060100000000ull

static struct hv_fixture f;

static void setup(void)
{
	hv_fixture_init(&f, VPS);
}

static void teardown(void)
{
	hv_fixture_fini(&f);
}

static uint64_t read_ok(uint32_t vp, uint32_t msr)
{
	uint64_t val = 0x1234;

	ck_assert_int_eq(hv_msr_read(f.p, vp, msr, &val), HV_MSR_OK);
	return val;
}

/* What each MSR is to do, as seen by VP 2. All rows must be here: see every_row_is_tested. */
static const struct expect {
	uint32_t msr;
	const char *name;
	uint64_t reset;
	bool writable;
	uint64_t write, then; /* written value, and what is read afterwards */
	unsigned count, step; /* of those that the row is for */
} expect[] = {
	{HV_X64_MSR_GUEST_OS_ID, "GUEST_OS_ID", 0, true, UINT64_MAX, UINT64_MAX, 1, 0},
	{HV_X64_MSR_HYPERCALL, "HYPERCALL", 0, true, UINT64_MAX, UINT64_MAX - 1, 1, 0},
	{HV_X64_MSR_VP_INDEX, "VP_INDEX", 2, false, 1, 2, 1, 0},
	{HV_X64_MSR_RESET, "RESET", 0, true, UINT64_MAX - 1, 0, 1, 0},
	{HV_X64_MSR_VP_RUNTIME, "VP_RUNTIME", 2, false, 1, 2, 1, 0},
	{HV_X64_MSR_TIME_REF_COUNT, "TIME_REF_COUNT", 0, false, 1, 0, 1, 0},
	{HV_X64_MSR_REFERENCE_TSC, "REFERENCE_TSC", 0, true, UINT64_MAX - 1, UINT64_MAX - 1, 1, 0},
	{HV_X64_MSR_TSC_FREQUENCY, "TSC_FREQUENCY", FAKE_TSC_HZ, false, 1, FAKE_TSC_HZ, 1, 0},
	{HV_X64_MSR_APIC_FREQUENCY, "APIC_FREQUENCY", 1000000000, false, 1, 1000000000, 1, 0},
	{HV_X64_MSR_VP_ASSIST_PAGE, "VP_ASSIST_PAGE", 0, true, UINT64_MAX - 1, UINT64_MAX - 1, 1,
	 0},
	{HV_X64_MSR_SCONTROL, "SCONTROL", 1, true, UINT64_MAX - 1, UINT64_MAX - 1, 1, 0},
	{HV_X64_MSR_SVERSION, "SVERSION", 1, false, 1, 1, 1, 0},
	{HV_X64_MSR_SIEFP, "SIEFP", 0, true, UINT64_MAX - 1, UINT64_MAX - 1, 1, 0},
	{HV_X64_MSR_SIMP, "SIMP", 0, true, UINT64_MAX - 1, UINT64_MAX - 1, 1, 0},
	{HV_X64_MSR_EOM, "EOM", 0, true, UINT64_MAX, 0, 1, 0},
	{HV_X64_MSR_SINT0, "SINT0-15", 0x10000, true, UINT64_MAX, UINT64_MAX, 16, 1},
	{HV_X64_MSR_STIMER0_CONFIG, "STIMER0-3_CONFIG", 0, true, 0x20ffe, 0x20ffe, 4, 2},
	{HV_X64_MSR_STIMER0_COUNT, "STIMER0-3_COUNT", 0, true, UINT64_MAX, UINT64_MAX, 4, 2},
	{HV_X64_MSR_CRASH_P0, "CRASH_P0-4", 0, true, UINT64_MAX, UINT64_MAX, 5, 1},
	{HV_X64_MSR_CRASH_CTL, "CRASH_CTL", 3ull << 62, true, UINT64_MAX >> 1, 3ull << 62, 1, 0},
	{HV_X64_MSR_REENLIGHTENMENT_CONTROL, "REENLIGHTENMENT_CONTROL", 0, true, UINT64_MAX,
	 UINT64_MAX, 1, 0},
	{HV_X64_MSR_TSC_EMULATION_CONTROL, "TSC_EMULATION_CONTROL", 0, true, UINT64_MAX, UINT64_MAX,
	 1, 0},
	{HV_X64_MSR_TSC_EMULATION_STATUS, "TSC_EMULATION_STATUS", 0, true, 0, 0, 1, 0},
	{HV_X64_MSR_TSC_INVARIANT_CONTROL, "TSC_INVARIANT_CONTROL", 0, true, 1, 1, 1, 0},
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

	/* From the last to the first: each has a value of its own. */
	for (unsigned n = e->count; n-- > 0;) {
		uint32_t msr = e->msr + n * e->step;

		ck_assert_uint_eq(read_ok(2, msr), e->reset);
		ck_assert_int_eq(hv_msr_write(f.p, 2, msr, e->write), want);
		ck_assert_uint_eq(read_ok(2, msr), e->then);
	}
	ck_assert_uint_eq(atomic_load(&f.host.resets), 0);

	hv_partition_reset(f.p);
	for (unsigned n = 0; n < e->count; n++)
		ck_assert_uint_eq(read_ok(2, e->msr + n * e->step), e->reset);
}
END_TEST

START_TEST(accesses_are_counted)
{
	const struct expect *e = &expect[_i];
	struct hv_msr_count out[2];

	read_ok(0, e->msr);
	read_ok(0, e->msr);
	read_ok(2, e->msr);
	hv_msr_write(f.p, 1, e->msr + (e->count - 1) * e->step, e->write);
	hv_partition_reset(f.p); /* counts go on */
	ck_assert_uint_eq(hv_msr_counts(f.p, out, 2), 1);
	ck_assert_str_eq(out[0].name, e->name);
	ck_assert_uint_eq(out[0].msr, e->msr);
	ck_assert_uint_eq(out[0].reads, 3);
	ck_assert_uint_eq(out[0].writes, 1);
	ck_assert_uint_eq(out[0].faults, e->writable ? 0 : 1);
}
END_TEST

static bool is_of_row(const struct expect *e, uint32_t msr)
{
	for (unsigned n = 0; n < e->count; n++) {
		if (msr == e->msr + n * e->step)
			return true;
	}
	return false;
}

START_TEST(all_other_numbers_fault)
{
	uint64_t before[EXPECTED], numbers = 0, implemented = 0;
	struct hv_msr_count out;

	for (size_t i = 0; i < EXPECTED; i++)
		before[i] = read_ok(2, expect[i].msr);
	hv_partition_free(f.p);
	f.p = hv_partition_new(&f.cfg, &fake_hv_host_ops, &f.host);
	ck_assert_ptr_nonnull(f.p);
	for (uint32_t msr = HV_MSR_FIRST; msr <= HV_MSR_LAST; msr++) {
		uint64_t val = 0x1234;
		bool ours = false;

		for (size_t i = 0; i < EXPECTED; i++)
			ours |= is_of_row(&expect[i], msr);
		implemented += ours;
		if (ours)
			continue;
		ck_assert_int_eq(hv_msr_read(f.p, 0, msr, &val), HV_MSR_GP);
		ck_assert_uint_eq(val, 0x1234);
		ck_assert_int_eq(hv_msr_write(f.p, 0, msr, 0), HV_MSR_GP);
		numbers++;
	}
	ck_assert_uint_eq(implemented, 49);
	ck_assert_uint_eq(numbers, 4096 - implemented);
	ck_assert_uint_eq(hv_msr_counts(f.p, &out, 1), 1);
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
		ck_assert_int_eq(hv_msr_read(f.p, 0, msr[i], &val), HV_MSR_GP);
		ck_assert_int_eq(hv_msr_write(f.p, 0, msr[i], 0), HV_MSR_GP);
	}
	ck_assert_uint_eq(val, 0x1234);
}
END_TEST

START_TEST(counts_stop_at_max)
{
	struct hv_msr_count out[3] = {[2] = {.name = "untouched"}};

	ck_assert_uint_eq(hv_msr_counts(f.p, out, 3), 0);
	for (size_t i = 0; i < EXPECTED; i++)
		read_ok(0, expect[i].msr);
	ck_assert_uint_eq(hv_msr_counts(f.p, NULL, 0), 0);
	ck_assert_uint_eq(hv_msr_counts(f.p, out, 2), 2);
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
	hv_msr_read(f.p, 1, 0x40000070, &val); /* EOI */
	ck_assert_uint_eq(hv_msr_counts(f.p, out, HV_MSR_ROWS + 2), HV_MSR_ROWS + 1);
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

/* With its feature off, an MSR is as good as absent, but for its counter. */
START_TEST(off_is_a_fault)
{
	const struct expect *e = &expect[_i];
	struct hv_features all = f.cfg.features;
	struct hv_msr_count out[2];

	for (unsigned off = 0; off < HV_FEATURES; off++) {
		uint64_t val = 0x1234;

		hv_partition_free(f.p);
		f.cfg.features.on = all.on & ~HV_FEATURE_BIT(off);
		f.p = hv_partition_new(&f.cfg, &fake_hv_host_ops, &f.host);
		ck_assert_ptr_nonnull(f.p);
		if (hv_msr_read(f.p, 0, e->msr, &val) == HV_MSR_OK)
			continue;
		ck_assert_uint_eq(val, 0x1234);
		ck_assert_int_eq(hv_msr_write(f.p, 0, e->msr, e->write), HV_MSR_GP);
		ck_assert_uint_eq(hv_msr_counts(f.p, out, 2), 1);
		ck_assert_str_eq(out[0].name, e->name);
		ck_assert_uint_eq(out[0].faults, 2);
		return; /* exactly one feature has it */
	}
	ck_abort_msg("%s does not depend on any feature", e->name);
}
END_TEST

/* What else KVM's own tests look for: values that fault with the privilege there. */
START_TEST(illegal_values)
{
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_TSC_INVARIANT_CONTROL, 0xdeadbeef),
			 HV_MSR_GP);
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_TSC_INVARIANT_CONTROL, 0), HV_MSR_OK);
	ck_assert_uint_eq(f.host.invariant_tscs, 0);
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_TSC_INVARIANT_CONTROL, 1), HV_MSR_OK);
	ck_assert_uint_eq(f.host.invariant_tscs, 1);
	ck_assert_int_eq(hv_msr_write(f.p, 1, HV_X64_MSR_TSC_INVARIANT_CONTROL, 0), HV_MSR_GP);
	ck_assert_uint_eq(read_ok(2, HV_X64_MSR_TSC_INVARIANT_CONTROL), 1);

	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_TSC_EMULATION_STATUS, 1), HV_MSR_GP);
	for (uint64_t vector = 0; vector < 16; vector++) {
		ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_SINT0, vector), HV_MSR_GP);
		ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_SINT0, vector | 1 << 17),
				 HV_MSR_GP);
		ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_SINT0, vector | 1 << 18),
				 HV_MSR_GP);
		ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_SINT0, vector | 1 << 16),
				 HV_MSR_OK);
	}
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_SINT0, 16), HV_MSR_OK);
}
END_TEST

/* Pages: the address must be RAM, and nobody else's overlay. */
static const uint32_t page_msrs[] = {HV_X64_MSR_REFERENCE_TSC, HV_X64_MSR_VP_ASSIST_PAGE,
				     HV_X64_MSR_SIEFP, HV_X64_MSR_SIMP};
#define PAGE_MSRS (sizeof(page_msrs) / sizeof(page_msrs[0]))

START_TEST(pages_in_wild_places)
{
	static const uint64_t wild[] = {
		0,
		FAKE_RAM_BASE - HV_HYP_PAGE_SIZE,
		FAKE_RAM_BASE + FAKE_RAM_PAGES * HV_HYP_PAGE_SIZE,
		1ull << 52 | FAKE_RAM_BASE,
		UINT64_MAX << 12,
	};
	uint32_t msr = page_msrs[_i];
	uint64_t last = fake_page_gpa(FAKE_RAM_PAGES - 1) | 0xffe; /* with bits to be kept */

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		ck_assert_int_eq(hv_msr_write(f.p, 1, msr, wild[i] | 1), HV_MSR_GP);
		ck_assert_uint_eq(read_ok(1, msr), 0);
	}
	ck_assert(fake_ram_pristine(&f.host));
	ck_assert_int_eq(hv_msr_write(f.p, 1, msr, last | 1), HV_MSR_OK);
	ck_assert(!fake_page_pristine(&f.host, FAKE_RAM_PAGES - 1));
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		ck_assert_int_eq(hv_msr_write(f.p, 1, msr, wild[i] | 1), HV_MSR_GP);
	ck_assert_uint_eq(read_ok(1, msr), last | 1);
	ck_assert_int_eq(hv_msr_write(f.p, 1, msr, last), HV_MSR_OK);
	ck_assert(fake_ram_pristine(&f.host));
	ck_assert_int_eq(hv_msr_write(f.p, 1, msr, last | 1), HV_MSR_OK);
	hv_partition_reset(f.p);
	ck_assert(fake_ram_pristine(&f.host));
}
END_TEST

START_TEST(pages_on_one_another)
{
	uint32_t msr = page_msrs[_i];
	uint64_t gpa = fake_page_gpa(3);

	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_GUEST_OS_ID, OS_ID), HV_MSR_OK);
	ck_assert_int_eq(hv_msr_write(f.p, 0, msr, gpa | 1), HV_MSR_OK);
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_HYPERCALL, gpa | 1), HV_MSR_GP);
	for (size_t i = 0; i < PAGE_MSRS; i++) {
		if (page_msrs[i] != HV_X64_MSR_REFERENCE_TSC || msr != HV_X64_MSR_REFERENCE_TSC)
			ck_assert_int_eq(hv_msr_write(f.p, 1, page_msrs[i], gpa | 1), HV_MSR_GP);
	}
	ck_assert_int_eq(hv_msr_write(f.p, 0, msr, gpa), HV_MSR_OK);
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_HYPERCALL, gpa | 1), HV_MSR_OK);
	ck_assert_int_eq(hv_msr_write(f.p, 1, msr, gpa | 1), HV_MSR_GP);
	hv_partition_reset(f.p);
	ck_assert(fake_ram_pristine(&f.host));
}
END_TEST

static void crash(uint64_t gpa, uint64_t len, uint64_t ctl)
{
	f.host.crash_len = 77;
	ck_assert_int_eq(hv_msr_write(f.p, 1, HV_X64_MSR_CRASH_P0 + 3, gpa), HV_MSR_OK);
	ck_assert_int_eq(hv_msr_write(f.p, 1, HV_X64_MSR_CRASH_P0 + 4, len), HV_MSR_OK);
	ck_assert_int_eq(hv_msr_write(f.p, 1, HV_X64_MSR_CRASH_CTL, ctl), HV_MSR_OK);
}

START_TEST(crash_reports)
{
	const uint64_t notify = 1ull << 63, message = 1ull << 62;
	uint64_t end = FAKE_RAM_BASE + FAKE_RAM_SIZE;

	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_CRASH_P0, 11), HV_MSR_OK);
	crash(33, 44, 0);
	crash(33, 44, ~notify);
	ck_assert_uint_eq(f.host.crashes, 0);
	crash(33, 44, notify);
	ck_assert_uint_eq(f.host.crashes, 1);
	ck_assert_uint_eq(f.host.crash_params[0], 11);
	ck_assert_uint_eq(f.host.crash_params[3], 33);
	ck_assert_uint_eq(f.host.crash_params[4], 44);
	ck_assert_uint_eq(f.host.crash_len, SIZE_MAX);

	memcpy(fake_page(&f.host, 2) + 100, "Oops", 4);
	crash(fake_page_gpa(2) + 100, 4, notify | message);
	ck_assert_uint_eq(f.host.crash_len, 4);
	ck_assert_mem_eq(f.host.crash_message, "Oops", 4);
	crash(end - 4096, 4096, notify | message); /* as much as there can be */
	ck_assert_uint_eq(f.host.crash_len, 4096);
	crash(end - 4095, 4096, notify | message); /* a byte past RAM */
	ck_assert_uint_eq(f.host.crash_len, SIZE_MAX);
	crash(fake_page_gpa(0), 4097, notify | message);
	ck_assert_uint_eq(f.host.crash_len, SIZE_MAX);
	crash(fake_page_gpa(0), 0, notify | message);
	ck_assert_uint_eq(f.host.crash_len, SIZE_MAX);
	crash(UINT64_MAX, UINT64_MAX, notify | message);
	ck_assert_uint_eq(f.host.crash_len, SIZE_MAX);
	ck_assert_uint_eq(f.host.crashes, 7);
}
END_TEST

START_TEST(only_bit_0_resets)
{
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_RESET, 0), HV_MSR_OK);
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_RESET, 2), HV_MSR_OK);
	ck_assert_uint_eq(atomic_load(&f.host.resets), 0);
	ck_assert_int_eq(hv_msr_write(f.p, 1, HV_X64_MSR_RESET, 1), HV_MSR_OK);
	ck_assert_uint_eq(atomic_load(&f.host.resets), 1);
	ck_assert_int_eq(hv_msr_write(f.p, 1, HV_X64_MSR_RESET, UINT64_MAX), HV_MSR_OK);
	ck_assert_uint_eq(atomic_load(&f.host.resets), 2);
	ck_assert_uint_eq(read_ok(1, HV_X64_MSR_RESET), 0);
}
END_TEST

START_TEST(vps_share_no_cache_line)
{
	for (uint32_t vp = 0; vp < VPS; vp++)
		ck_assert_uint_eq((uintptr_t)&f.p->vp[vp] % HV_CACHE_LINE_BYTES, 0);
	ck_assert_uint_eq(sizeof(f.p->vp[0]) % HV_CACHE_LINE_BYTES, 0);
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

		errors += hv_msr_read(f.p, vp, HV_X64_MSR_VP_INDEX, &val) != HV_MSR_OK || val != vp;
		errors += hv_msr_read(f.p, vp, HV_X64_MSR_TIME_REF_COUNT, &val) != HV_MSR_OK;
		errors += val < last;
		last = val;
		errors += hv_msr_write(f.p, vp, HV_X64_MSR_GUEST_OS_ID, i % 5) != HV_MSR_OK;
		errors += hv_msr_write(f.p, vp, HV_X64_MSR_HYPERCALL, gpa | enable) != HV_MSR_OK;
		errors += hv_msr_read(f.p, vp, HV_X64_MSR_HYPERCALL, &val) != HV_MSR_OK;
		errors +=
			hv_msr_read(f.p, vp, HV_X64_MSR_GUEST_OS_ID, &val) != HV_MSR_OK || val > 4;
		errors += hv_msr_write(f.p, vp, HV_X64_MSR_VP_INDEX, 0) != HV_MSR_GP;
		errors += hv_msr_read(f.p, vp, HV_MSR_LAST, &val) != HV_MSR_GP;
		errors += hv_hypercall(f.p, vp, &r) != HV_HYPERCALL_DONE;
		atomic_fetch_add(&f.host.guest_tsc, 2);
	}
	return (void *)(uintptr_t)errors;
}

static uint64_t counted(uint32_t msr, uint64_t *faults)
{
	struct hv_msr_count out[HV_MSR_ROWS + 1];
	size_t n = hv_msr_counts(f.p, out, HV_MSR_ROWS + 1);

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
	ck_assert_uint_eq(hv_hypercall_count(f.p), 2 * ROUNDS);
	hv_partition_reset(f.p);
	ck_assert(fake_ram_pristine(&f.host));
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
	tcase_add_loop_test(rows, off_is_a_fault, 0, EXPECTED);
	tcase_add_test(rows, illegal_values);
	tcase_add_loop_test(rows, pages_in_wild_places, 0, PAGE_MSRS);
	tcase_add_loop_test(rows, pages_on_one_another, 0, PAGE_MSRS);
	tcase_add_test(rows, crash_reports);
	tcase_add_test(rows, only_bit_0_resets);
	suite_add_tcase(s, rows);

	tcase_add_checked_fixture(smp, setup, teardown);
	tcase_add_test(smp, vps_share_no_cache_line);
	tcase_add_test(smp, vps_at_work_at_once);
	suite_add_tcase(s, smp);
	return s;
}
