/* SPDX-License-Identifier: MIT */
/* The hypercall page, the registers that rule it, and the answers to calls. */
#include "tests/unit/suites.h"
#include "hyperv/hv.h"

#include <check.h>
#include <string.h>

#include "tests/unit/hv_fixture.h"

#define OS_ID 0x8100060100000000ull

static struct hv_fixture f;

static void setup(void)
{
	hv_fixture_init(&f, 2);
}

static void teardown(void)
{
	hv_fixture_fini(&f);
}

static void write_ok(uint32_t msr, uint64_t val)
{
	ck_assert_int_eq(hv_msr_write(f.p, 0, msr, val), HV_MSR_OK);
}

static uint64_t read_ok(uint32_t msr)
{
	uint64_t val = 0;

	/* Another VP looks: both registers belong to the partition. */
	ck_assert_int_eq(hv_msr_read(f.p, 1, msr, &val), HV_MSR_OK);
	return val;
}

static void enable_at(unsigned page)
{
	write_ok(HV_X64_MSR_GUEST_OS_ID, OS_ID);
	write_ok(HV_X64_MSR_HYPERCALL, fake_page_gpa(page) | HV_X64_MSR_HYPERCALL_ENABLE);
}

static bool is_hypercall_page(const uint8_t *page)
{
	static const uint8_t code[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xe7, 0xe5, 0xc3, 0xcc};
	size_t last = sizeof(code) - 1;

	return !memcmp(page, code, sizeof(code)) &&
	       !memcmp(page + last, page + last + 1, HV_HYP_PAGE_SIZE - last - 1);
}

START_TEST(page_shows_and_goes)
{
	uint64_t val = fake_page_gpa(4) | HV_X64_MSR_HYPERCALL_ENABLE;

	enable_at(4);
	ck_assert(is_hypercall_page(fake_page(&f.host, 4)));
	ck_assert(fake_page_pristine(&f.host, 3));
	ck_assert(fake_page_pristine(&f.host, 5));
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL), val);
	ck_assert_uint_eq(read_ok(HV_X64_MSR_GUEST_OS_ID), OS_ID);

	write_ok(HV_X64_MSR_HYPERCALL, 0);
	ck_assert(fake_ram_pristine(&f.host));
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL), 0);
}
END_TEST

START_TEST(page_moves)
{
	enable_at(0);
	enable_at(FAKE_RAM_PAGES - 1);
	ck_assert(fake_page_pristine(&f.host, 0));
	ck_assert(is_hypercall_page(fake_page(&f.host, FAKE_RAM_PAGES - 1)));
	enable_at(FAKE_RAM_PAGES - 1);
	ck_assert(is_hypercall_page(fake_page(&f.host, FAKE_RAM_PAGES - 1)));
	write_ok(HV_X64_MSR_HYPERCALL, 0);
	ck_assert(fake_ram_pristine(&f.host));
}
END_TEST

START_TEST(port_is_the_configured_one)
{
	struct hv_config other = f.cfg;

	hv_partition_free(f.p);
	other.hypercall_port = 0x42;
	f.p = hv_partition_new(&other, &fake_hv_host_ops, &f.host);
	ck_assert_ptr_nonnull(f.p);
	enable_at(1);
	ck_assert_uint_eq(fake_page(&f.host, 1)[5], 0x42);
}
END_TEST

START_TEST(no_page_without_os_id)
{
	write_ok(HV_X64_MSR_HYPERCALL, fake_page_gpa(4) | HV_X64_MSR_HYPERCALL_ENABLE);
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL), fake_page_gpa(4));
	ck_assert(fake_ram_pristine(&f.host));

	/* A later OS id does not enable it after the fact. */
	write_ok(HV_X64_MSR_GUEST_OS_ID, OS_ID);
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL), fake_page_gpa(4));
	ck_assert(fake_ram_pristine(&f.host));
}
END_TEST

START_TEST(clearing_os_id_disables)
{
	enable_at(4);
	write_ok(HV_X64_MSR_GUEST_OS_ID, OS_ID + 1);
	ck_assert(is_hypercall_page(fake_page(&f.host, 4)));
	write_ok(HV_X64_MSR_GUEST_OS_ID, 0);
	ck_assert(fake_ram_pristine(&f.host));
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL), fake_page_gpa(4));
	ck_assert_uint_eq(read_ok(HV_X64_MSR_GUEST_OS_ID), 0);
	enable_at(4);
	ck_assert(is_hypercall_page(fake_page(&f.host, 4)));
}
END_TEST

START_TEST(reserved_bits_are_kept)
{
	const uint64_t rsvdp = 0xffe; /* with the lock bit, which is not offered */

	write_ok(HV_X64_MSR_GUEST_OS_ID, OS_ID);
	write_ok(HV_X64_MSR_HYPERCALL, fake_page_gpa(4) | rsvdp | HV_X64_MSR_HYPERCALL_ENABLE);
	ck_assert(is_hypercall_page(fake_page(&f.host, 4)));
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL),
			  fake_page_gpa(4) | rsvdp | HV_X64_MSR_HYPERCALL_ENABLE);
	/* Not locked. */
	write_ok(HV_X64_MSR_HYPERCALL, rsvdp);
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL), rsvdp);
	ck_assert(fake_ram_pristine(&f.host));
}
END_TEST

static const uint64_t hostile[] = {
	UINT64_MAX,
	UINT64_MAX & ~0xffeull,
	0 | HV_X64_MSR_HYPERCALL_ENABLE,
	(FAKE_RAM_BASE - 1) | HV_X64_MSR_HYPERCALL_ENABLE,
	(FAKE_RAM_BASE + FAKE_RAM_PAGES * HV_HYP_PAGE_SIZE) | HV_X64_MSR_HYPERCALL_ENABLE,
	(1ull << 52 | FAKE_RAM_BASE) | HV_X64_MSR_HYPERCALL_ENABLE,
	(1ull << 63 | FAKE_RAM_BASE) | HV_X64_MSR_HYPERCALL_ENABLE,
};

START_TEST(page_outside_ram_faults)
{
	uint64_t val = fake_page_gpa(4) | HV_X64_MSR_HYPERCALL_ENABLE;

	write_ok(HV_X64_MSR_GUEST_OS_ID, OS_ID);
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_HYPERCALL, hostile[_i]), HV_MSR_GP);
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL), 0);
	ck_assert(fake_ram_pristine(&f.host));

	/* Nor does it disturb a page that is in place. */
	enable_at(4);
	ck_assert_int_eq(hv_msr_write(f.p, 0, HV_X64_MSR_HYPERCALL, hostile[_i]), HV_MSR_GP);
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL), val);
	ck_assert(is_hypercall_page(fake_page(&f.host, 4)));

	/* The same address disabled is nobody's business. */
	write_ok(HV_X64_MSR_HYPERCALL, hostile[_i] & ~HV_X64_MSR_HYPERCALL_ENABLE);
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL),
			  hostile[_i] & ~HV_X64_MSR_HYPERCALL_ENABLE);
	ck_assert(fake_ram_pristine(&f.host));
}
END_TEST

START_TEST(reset_takes_the_page_away)
{
	enable_at(4);
	memset(fake_page(&f.host, 4), 0, HV_HYP_PAGE_SIZE); /* the guest's own fault, till reset */
	hv_partition_reset(f.p);
	ck_assert(fake_ram_pristine(&f.host));
	ck_assert_uint_eq(read_ok(HV_X64_MSR_HYPERCALL), 0);
	ck_assert_uint_eq(read_ok(HV_X64_MSR_GUEST_OS_ID), 0);
	enable_at(5);
	ck_assert(is_hypercall_page(fake_page(&f.host, 5)));
}
END_TEST

START_TEST(free_leaves_ram_alone)
{
	enable_at(4);
	hv_partition_free(f.p); /* the host may have unmapped RAM by then */
	f.p = NULL;
	ck_assert(is_hypercall_page(fake_page(&f.host, 4)));
	hv_partition_free(NULL);
}
END_TEST

static uint64_t call(uint64_t control)
{
	struct hv_hypercall_regs r = {.rcx = control,
				      .rdx = 0x1122,
				      .r8 = 0x3344,
				      .rax = UINT64_MAX};

	ck_assert_int_eq(hv_hypercall(f.p, 0, &r), HV_HYPERCALL_DONE);
	ck_assert_uint_eq(r.rcx, control);
	ck_assert_uint_eq(r.rdx, 0x1122);
	ck_assert_uint_eq(r.r8, 0x3344);
	return r.rax;
}

START_TEST(unknown_codes)
{
	static const uint64_t control[] = {
		0,
		0xbeef,
		0xffff,
		0x10000 | 0x6b, /* ResetDebugSession, fast */
		1ull << HV_HYPERCALL_VARHEAD_OFFSET | 0x7e,
		HV_HYPERCALL_VARHEAD_MASK,
		HV_HYPERCALL_REP_COMP_MASK | HV_HYPERCALL_REP_START_MASK,
		~(HV_HYPERCALL_RSVD_MASK | HV_HYPERCALL_NESTED),
	};

	for (size_t i = 0; i < sizeof(control) / sizeof(control[0]); i++)
		ck_assert_uint_eq(call(control[i]), 2);
}
END_TEST

START_TEST(reserved_control_bits)
{
	static const uint8_t bits[] = {27, 28, 29, 30, 31, 44, 45, 46, 47, 60, 61, 62, 63};

	for (size_t i = 0; i < sizeof(bits); i++) {
		ck_assert_uint_eq(call(1ull << bits[i]), 3);
		ck_assert_uint_eq(call(1ull << bits[i] | 0xbeef), 3);
	}
	ck_assert_uint_eq(call(UINT64_MAX), 3);
}
END_TEST

START_TEST(calls_are_counted_over_vps)
{
	struct hv_hypercall_regs r = {.rcx = 0xbeef};

	ck_assert_uint_eq(hv_hypercall_count(f.p), 0);
	call(0);
	ck_assert_int_eq(hv_hypercall(f.p, 1, &r), HV_HYPERCALL_DONE);
	ck_assert_int_eq(hv_hypercall(f.p, 1, &r), HV_HYPERCALL_DONE);
	ck_assert_uint_eq(hv_hypercall_count(f.p), 3);
	hv_partition_reset(f.p);
	ck_assert_uint_eq(hv_hypercall_count(f.p), 3);
}
END_TEST

Suite *hv_hypercall_suite(void)
{
	Suite *s = suite_create("hv_hypercall");
	TCase *page = tcase_create("page");
	TCase *calls = tcase_create("calls");

	tcase_add_checked_fixture(page, setup, teardown);
	tcase_add_test(page, page_shows_and_goes);
	tcase_add_test(page, page_moves);
	tcase_add_test(page, port_is_the_configured_one);
	tcase_add_test(page, no_page_without_os_id);
	tcase_add_test(page, clearing_os_id_disables);
	tcase_add_test(page, reserved_bits_are_kept);
	tcase_add_loop_test(page, page_outside_ram_faults, 0, sizeof(hostile) / sizeof(hostile[0]));
	tcase_add_test(page, reset_takes_the_page_away);
	tcase_add_test(page, free_leaves_ram_alone);
	suite_add_tcase(s, page);

	tcase_add_checked_fixture(calls, setup, teardown);
	tcase_add_test(calls, unknown_codes);
	tcase_add_test(calls, reserved_control_bits);
	tcase_add_test(calls, calls_are_counted_over_vps);
	suite_add_tcase(s, calls);
	return s;
}
