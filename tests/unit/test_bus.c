/* SPDX-License-Identifier: MIT */
/* Unit tests of the bus: claims, look-up at the edges, the unclaimed policy, counters, strings. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "vmm/bus.h"

struct fake {
	unsigned calls;
	uint64_t last_off;
	uint64_t last_val;
	uint8_t text[32];
	size_t text_size;
	enum io_status answer;
};

static enum io_status fake_access(void *dev, struct io_access *a)
{
	struct fake *f = dev;

	f->calls++;
	f->last_off = a->off;
	if (a->is_write)
		f->last_val = a->val;
	else
		a->val = 0x1122334455667788;
	return f->answer;
}

static void fake_string(void *dev, const uint8_t *data, uint32_t count, uint8_t size)
{
	struct fake *f = dev;

	f->calls++;
	f->text_size = (size_t)count * size;
	memcpy(f->text, data, f->text_size);
}

static struct io_range range(const char *name, uint64_t base, uint64_t last, struct fake *f)
{
	return (struct io_range){
		.name = name, .base = base, .last = last, .fn = fake_access, .dev = f};
}

/* Conflicts are told on stderr; that is tested in tests/cli, and only in the way here. */
static int claim_silently(struct bus *b, const struct io_range *r)
{
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY), ret;

	dup2(null, STDERR_FILENO);
	ret = bus_claim(b, r);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(null);
	return ret;
}

START_TEST(refuses_overlap_on_all_sides)
{
	static const struct {
		uint64_t base, last;
		int ret;
	} claims[] = {
		{0x0f0, 0x0ff, 0},       {0x110, 0x11f, 0},       {0x0f8, 0x100, -EEXIST},
		{0x10f, 0x110, -EEXIST}, {0x104, 0x105, -EEXIST}, {0x0e0, 0x200, -EEXIST},
		{0x100, 0x10f, -EEXIST}, {0x120, 0x11f, -EINVAL}, {0xffff, 0x10000, -EINVAL},
		{0xffff, 0xffff, 0},
	};
	struct fake f = {0};
	struct io_range middle = range("middle", 0x100, 0x10f, &f);
	struct bus b;
	struct err e;

	bus_init(&b, BUS_PIO);
	ck_assert_int_eq(bus_claim(&b, &middle), 0);
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		struct io_range r = range("other", claims[i].base, claims[i].last, &f);

		ck_assert_int_eq(claim_silently(&b, &r), claims[i].ret);
	}
	ck_assert_int_eq(bus_seal(&b, 1, &e), -EEXIST);
	bus_fini(&b);
}
END_TEST

START_TEST(finds_first_and_last_byte)
{
	struct fake low = {0}, high = {0};
	struct io_range r1 = range("high", UINT64_MAX - 7, UINT64_MAX, &high);
	struct io_range r2 = range("low", 0, 3, &low);
	struct io_access a = {.addr = 0, .size = 1};
	struct bus b;
	struct err e;

	bus_init(&b, BUS_MMIO);
	ck_assert_int_eq(bus_claim(&b, &r1), 0);
	ck_assert_int_eq(bus_claim(&b, &r2), 0);
	ck_assert_int_eq(bus_seal(&b, 2, &e), 0);
	ck_assert_int_eq(bus_claim(&b, &r2), -EBUSY);
	ck_assert_int_eq(bus_access(&b, &a), IO_OK);
	ck_assert_uint_eq(low.last_off, 0);
	a.addr = 3;
	ck_assert_int_eq(bus_access(&b, &a), IO_OK);
	ck_assert_uint_eq(low.last_off, 3);
	a.addr = 4;
	ck_assert_int_eq(bus_access(&b, &a), IO_UNCLAIMED);
	a.addr = UINT64_MAX - 8;
	ck_assert_int_eq(bus_access(&b, &a), IO_UNCLAIMED);
	a.addr = UINT64_MAX - 7;
	ck_assert_int_eq(bus_access(&b, &a), IO_OK);
	a.addr = UINT64_MAX;
	ck_assert_int_eq(bus_access(&b, &a), IO_OK);
	ck_assert_uint_eq(high.last_off, 7);
	ck_assert_uint_eq(low.calls, 2);
	ck_assert_uint_eq(high.calls, 2);
	bus_fini(&b);
}
END_TEST

START_TEST(masks_to_the_width)
{
	static const uint64_t expect[] = {
		[1] = 0x88, [2] = 0x7788, [4] = 0x55667788, [8] = 0x1122334455667788};
	struct fake f = {0};
	struct io_range r = range("r", 0x10, 0x17, &f);
	struct bus b;
	struct err e;

	bus_init(&b, BUS_MMIO);
	ck_assert_int_eq(bus_claim(&b, &r), 0);
	ck_assert_int_eq(bus_seal(&b, 1, &e), 0);
	for (uint8_t size = 1; size <= 8; size *= 2) {
		struct io_access a = {.addr = 0x10, .size = size};

		ck_assert_int_eq(bus_access(&b, &a), IO_OK);
		ck_assert_uint_eq(a.val, expect[size]);
		a.addr = 0x18;
		ck_assert_int_eq(bus_access(&b, &a), IO_UNCLAIMED);
		ck_assert_uint_eq(a.val, size == 8 ? UINT64_MAX : (1ull << (8 * size)) - 1);
	}
	bus_fini(&b);
}
END_TEST

START_TEST(unclaimed_msr_faults)
{
	struct fake f = {.answer = IO_UNCLAIMED};
	struct io_range r = range("msrs", 0x40000000, 0x40000fff, &f);
	struct io_access a = {.addr = 0x10, .size = 8};
	struct bus b;
	struct err e;

	bus_init(&b, BUS_MSR);
	ck_assert_int_eq(bus_claim(&b, &r), 0);
	ck_assert_int_eq(bus_seal(&b, 1, &e), 0);
	ck_assert_int_eq(bus_access(&b, &a), IO_FAULT);
	a.addr = 0x40000000;
	ck_assert_int_eq(bus_access(&b, &a), IO_FAULT);
	f.answer = IO_OK;
	ck_assert_int_eq(bus_access(&b, &a), IO_OK);
	bus_fini(&b);
}
END_TEST

START_TEST(counts_per_vp_and_sums)
{
	struct fake f = {0};
	struct io_range r = range("r", 0x60, 0x60, &f);
	struct bus b;
	struct err e;

	bus_init(&b, BUS_PIO);
	ck_assert_int_eq(bus_claim(&b, &r), 0);
	ck_assert_int_eq(bus_seal(&b, 3, &e), 0);
	for (uint32_t vp = 0; vp < 3; vp++) {
		struct io_access in = {.addr = 0x60, .size = 1, .vp = vp};
		struct io_access out = {.addr = 0x61, .size = 1, .vp = vp, .is_write = true};

		bus_access(&b, &in);
		bus_access(&b, &out);
		bus_access(&b, &out);
	}
	ck_assert_uint_eq(bus_count(&b, 0).reads, 3);
	ck_assert_uint_eq(bus_count(&b, 0).writes, 0);
	ck_assert_uint_eq(bus_count(&b, 1).reads, 0);
	ck_assert_uint_eq(bus_count(&b, 1).writes, 6);
	bus_fini(&b);
}
END_TEST

START_TEST(strings_go_whole_or_by_element)
{
	static const uint8_t data[] = {1, 2, 3, 4};
	struct fake whole = {0}, single = {0};
	struct io_range r1 = range("whole", 0xe9, 0xe9, &whole);
	struct io_range r2 = range("single", 0xea, 0xea, &single);
	struct bus b;
	struct err e;

	r1.string = fake_string;
	bus_init(&b, BUS_PIO);
	ck_assert_int_eq(bus_claim(&b, &r1), 0);
	ck_assert_int_eq(bus_claim(&b, &r2), 0);
	ck_assert_int_eq(bus_seal(&b, 1, &e), 0);
	bus_write_string(&b, 0xe9, data, 4, 1, 0);
	ck_assert_uint_eq(whole.calls, 1);
	ck_assert_mem_eq(whole.text, data, 4);
	bus_write_string(&b, 0xea, data, 2, 2, 0);
	ck_assert_uint_eq(single.calls, 2);
	ck_assert_uint_eq(single.last_val, 0x0403);
	ck_assert_uint_eq(bus_count(&b, 0).writes, 4);
	ck_assert_uint_eq(bus_count(&b, 1).writes, 2);
	bus_fini(&b);
}
END_TEST

Suite *bus_suite(void)
{
	Suite *s = suite_create("bus");
	TCase *t = tcase_create("bus");

	tcase_add_test(t, refuses_overlap_on_all_sides);
	tcase_add_test(t, finds_first_and_last_byte);
	tcase_add_test(t, masks_to_the_width);
	tcase_add_test(t, unclaimed_msr_faults);
	tcase_add_test(t, counts_per_vp_and_sums);
	tcase_add_test(t, strings_go_whole_or_by_element);
	suite_add_tcase(s, t);
	return s;
}
