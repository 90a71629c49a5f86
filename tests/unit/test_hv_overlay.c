/* SPDX-License-Identifier: MIT */
/* Overlay pages: contents that travel, RAM that comes back, places where none can be. */
#include "tests/unit/suites.h"
#include "hyperv/hv_overlay.h"

#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/fake_hv_host.h"

static struct fake_hv_host host;
static struct hv_overlays all;
static struct hv_overlay overlay;
static uint8_t own[HV_HYP_PAGE_SIZE], others[HV_HYP_PAGE_SIZE];

static void setup(void)
{
	fake_hv_host_init(&host);
	memset(own, 0, sizeof(own));
	overlay = (struct hv_overlay){.page = own};
	ck_assert_int_eq(hv_overlays_init(&all, &fake_hv_host_ops, &host), 0);
}

static void teardown(void)
{
	hv_overlays_fini(&all);
	fake_hv_host_fini(&host);
}

static int show(uint64_t gpa)
{
	return hv_overlay_show(&all, &overlay, gpa);
}

static bool all_bytes(const uint8_t *page, uint8_t byte)
{
	return page[0] == byte && !memcmp(page, page + 1, HV_HYP_PAGE_SIZE - 1);
}

START_TEST(zeroed_when_first_shown)
{
	ck_assert_int_eq(show(fake_page_gpa(2)), 0);
	ck_assert(all_bytes(fake_page(&host, 2), 0));
	ck_assert_ptr_eq(hv_overlay_contents(&overlay), fake_page(&host, 2));
	ck_assert(fake_page_pristine(&host, 1));
	ck_assert(fake_page_pristine(&host, 3));
}
END_TEST

START_TEST(hide_gives_ram_back)
{
	ck_assert_int_eq(show(fake_page_gpa(2)), 0);
	memset(fake_page(&host, 2), 0x5a, HV_HYP_PAGE_SIZE);
	hv_overlay_hide(&all, &overlay);
	ck_assert(fake_ram_pristine(&host));
	ck_assert_ptr_eq(hv_overlay_contents(&overlay), overlay.page);

	hv_overlay_hide(&all, &overlay);
	ck_assert(fake_ram_pristine(&host));
}
END_TEST

START_TEST(contents_outlive_hiding)
{
	memset(hv_overlay_contents(&overlay), 0x11, HV_HYP_PAGE_SIZE);
	ck_assert_int_eq(show(fake_page_gpa(2)), 0);
	ck_assert(all_bytes(fake_page(&host, 2), 0x11));
	memset(fake_page(&host, 2), 0x5a, HV_HYP_PAGE_SIZE);
	hv_overlay_hide(&all, &overlay);
	ck_assert(all_bytes(hv_overlay_contents(&overlay), 0x5a));
	ck_assert_int_eq(show(fake_page_gpa(0)), 0);
	ck_assert(all_bytes(fake_page(&host, 0), 0x5a));
	ck_assert(fake_page_pristine(&host, 2));
}
END_TEST

START_TEST(contents_move)
{
	ck_assert_int_eq(show(fake_page_gpa(2)), 0);
	memset(fake_page(&host, 2), 0x5a, HV_HYP_PAGE_SIZE);
	ck_assert_int_eq(show(fake_page_gpa(5)), 0);
	ck_assert(fake_page_pristine(&host, 2));
	ck_assert(all_bytes(fake_page(&host, 5), 0x5a));
	hv_overlay_hide(&all, &overlay);
	ck_assert(fake_ram_pristine(&host));
}
END_TEST

START_TEST(shown_again_in_place)
{
	ck_assert_int_eq(show(fake_page_gpa(2)), 0);
	memset(fake_page(&host, 2), 0x5a, HV_HYP_PAGE_SIZE);
	ck_assert_int_eq(show(fake_page_gpa(2)), 0);
	ck_assert(all_bytes(fake_page(&host, 2), 0x5a));
	hv_overlay_hide(&all, &overlay);
	ck_assert(fake_ram_pristine(&host));
}
END_TEST

static void *gpa_ptr_of_one_page(void *ctx, uint64_t gpa, uint64_t size)
{
	return gpa == 0 && size == HV_HYP_PAGE_SIZE ? ctx : NULL;
}

/* Another VP may be executing the page, so not even a moment's other contents will do. */
START_TEST(shown_again_without_a_store)
{
	static const struct hv_host_ops ops = {.gpa_ptr = gpa_ptr_of_one_page};
	uint8_t *page = mmap(NULL, HV_HYP_PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(page != MAP_FAILED);
	all.ops = &ops;
	all.ctx = page;
	ck_assert_int_eq(show(0), 0);
	ck_assert_int_eq(mprotect(page, HV_HYP_PAGE_SIZE, PROT_READ), 0);
	ck_assert_int_eq(show(0), 0);
	ck_assert_ptr_eq(hv_overlay_contents(&overlay), page);
	ck_assert_int_eq(munmap(page, HV_HYP_PAGE_SIZE), 0);
}
END_TEST

START_TEST(first_and_last_page)
{
	ck_assert_int_eq(show(fake_page_gpa(0)), 0);
	ck_assert_int_eq(show(fake_page_gpa(FAKE_RAM_PAGES - 1)), 0);
	ck_assert(fake_page_pristine(&host, 0));
	ck_assert(all_bytes(fake_page(&host, FAKE_RAM_PAGES - 1), 0));
	hv_overlay_hide(&all, &overlay);
	ck_assert(fake_ram_pristine(&host));
}
END_TEST

static const uint64_t not_ram[] = {
	0,
	FAKE_RAM_BASE - HV_HYP_PAGE_SIZE,
	FAKE_RAM_BASE + FAKE_RAM_PAGES *HV_HYP_PAGE_SIZE, /* begins in RAM, ends outside */
	FAKE_RAM_BASE + (FAKE_RAM_PAGES + 1) * HV_HYP_PAGE_SIZE,
	1ull << 52,
	UINT64_MAX - (HV_HYP_PAGE_SIZE - 1), /* its end wraps to 0 */
};

START_TEST(refused_outside_ram)
{
	ck_assert_int_eq(show(not_ram[_i]), -EFAULT);
	ck_assert(fake_ram_pristine(&host));
	ck_assert_ptr_eq(hv_overlay_contents(&overlay), overlay.page);

	ck_assert_int_eq(show(fake_page_gpa(3)), 0);
	memset(fake_page(&host, 3), 0x5a, HV_HYP_PAGE_SIZE);
	ck_assert_int_eq(show(not_ram[_i]), -EFAULT);
	ck_assert(all_bytes(fake_page(&host, 3), 0x5a));
	hv_overlay_hide(&all, &overlay);
	ck_assert(fake_ram_pristine(&host));
}
END_TEST

START_TEST(reset_zeroes)
{
	ck_assert_int_eq(show(fake_page_gpa(2)), 0);
	memset(fake_page(&host, 2), 0x5a, HV_HYP_PAGE_SIZE);
	hv_overlay_reset(&all, &overlay);
	ck_assert(fake_ram_pristine(&host));
	ck_assert(all_bytes(hv_overlay_contents(&overlay), 0));
	ck_assert_int_eq(show(fake_page_gpa(2)), 0);
	ck_assert(all_bytes(fake_page(&host, 2), 0));
}
END_TEST

START_TEST(no_two_on_one_page)
{
	struct hv_overlay other = {.page = others};

	ck_assert_int_eq(show(fake_page_gpa(2)), 0);
	memset(fake_page(&host, 2), 0x5a, HV_HYP_PAGE_SIZE);
	ck_assert_int_eq(hv_overlay_show(&all, &other, fake_page_gpa(2)), -EBUSY);
	ck_assert_ptr_null(other.ram);
	ck_assert(all_bytes(fake_page(&host, 2), 0x5a));

	/* Nor does it move there from elsewhere, which leaves it where it was. */
	ck_assert_int_eq(hv_overlay_show(&all, &other, fake_page_gpa(3)), 0);
	memset(fake_page(&host, 3), 0x33, HV_HYP_PAGE_SIZE);
	ck_assert_int_eq(hv_overlay_show(&all, &other, fake_page_gpa(2)), -EBUSY);
	ck_assert(all_bytes(fake_page(&host, 3), 0x33));
	ck_assert(all_bytes(fake_page(&host, 2), 0x5a));

	/* What one leaves, the other can have. */
	ck_assert_int_eq(show(fake_page_gpa(4)), 0);
	ck_assert_int_eq(hv_overlay_show(&all, &other, fake_page_gpa(2)), 0);
	ck_assert(all_bytes(fake_page(&host, 2), 0x33));
	ck_assert(all_bytes(fake_page(&host, 4), 0x5a));
	hv_overlay_hide(&all, &other);
	hv_overlay_hide(&all, &overlay);
	ck_assert(fake_ram_pristine(&host));
}
END_TEST

#define MOVES 2000

struct mover {
	struct hv_overlay overlay;
	unsigned first, errors, refused;
	uint8_t mark;
};

/* Three pages, shared with the other mover; contents and RAM must survive all collisions. */
static void *move_around(void *arg)
{
	struct mover *m = arg;

	memset(m->overlay.page, m->mark, HV_HYP_PAGE_SIZE);
	for (unsigned i = 0; i < MOVES; i++) {
		int ret = hv_overlay_show(&all, &m->overlay, fake_page_gpa((m->first + i) % 3));

		m->errors += ret && ret != -EBUSY;
		m->refused += ret == -EBUSY;
		m->errors += !all_bytes(hv_overlay_contents(&m->overlay), m->mark);
		if (i % 7 == 0)
			hv_overlay_hide(&all, &m->overlay);
	}
	hv_overlay_hide(&all, &m->overlay);
	return NULL;
}

START_TEST(movers_collide)
{
	static struct mover mover[2];
	static uint8_t page[2][HV_HYP_PAGE_SIZE];
	pthread_t thread[2];

	for (unsigned i = 0; i < 2; i++) {
		mover[i] = (struct mover){.overlay.page = page[i], .first = i, .mark = 0xa0 + i};
		ck_assert_int_eq(pthread_create(&thread[i], NULL, move_around, &mover[i]), 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
		ck_assert_uint_eq(mover[i].errors, 0);
		ck_assert_uint_lt(mover[i].refused, MOVES);
	}
	ck_assert(fake_ram_pristine(&host));
}
END_TEST

Suite *hv_overlay_suite(void)
{
	Suite *s = suite_create("hv_overlay");
	TCase *t = tcase_create("overlay");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, zeroed_when_first_shown);
	tcase_add_test(t, hide_gives_ram_back);
	tcase_add_test(t, contents_outlive_hiding);
	tcase_add_test(t, contents_move);
	tcase_add_test(t, shown_again_in_place);
	tcase_add_test(t, shown_again_without_a_store);
	tcase_add_test(t, first_and_last_page);
	tcase_add_loop_test(t, refused_outside_ram, 0, sizeof(not_ram) / sizeof(not_ram[0]));
	tcase_add_test(t, reset_zeroes);
	tcase_add_test(t, no_two_on_one_page);
	tcase_add_test(t, movers_collide);
	suite_add_tcase(s, t);
	return s;
}
