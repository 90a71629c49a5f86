/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/rtc.c, with a clock that the test moves. */
#include <check.h>
#include <stdbool.h>

#include "tests/unit/suites.h"
#include "devices/rtc.h"

#define SECONDS      0x00
#define MINUTES      0x02
#define HOURS        0x04
#define DAY_OF_WEEK  0x06
#define DAY_OF_MONTH 0x07
#define MONTH        0x08
#define YEAR         0x09
#define CENTURY      0x32
#define REG_A        0x0a
#define REG_B        0x0b
#define REG_C        0x0c
#define REG_D        0x0d

#define SET     0x80
#define BINARY  0x04
#define HOURS24 0x02

/* Thursday, 29 February 2024, 23:59:58 UTC */
#define LEAP_DAY_END 1709251198

static int64_t clock_s;
static struct rtc rtc;

static int64_t now_s(void *ctx)
{
	return *(int64_t *)ctx;
}

static void setup(void)
{
	struct rtc_env env = {.now_s = now_s, .ctx = &clock_s};

	clock_s = LEAP_DAY_END;
	rtc_init(&rtc, &env);
}

static uint8_t get(uint8_t reg)
{
	rtc_write(&rtc, 0, reg);
	return rtc_read(&rtc, 1);
}

static void set(uint8_t reg, uint8_t val)
{
	rtc_write(&rtc, 0, reg);
	rtc_write(&rtc, 1, val);
}

/* Year, month, day, hour, minute, second as raw register bytes. */
struct stamp {
	uint8_t century, year, month, day, hours, minutes, seconds;
};

static void expect_time(struct stamp t)
{
	ck_assert_uint_eq(get(CENTURY), t.century);
	ck_assert_uint_eq(get(YEAR), t.year);
	ck_assert_uint_eq(get(MONTH), t.month);
	ck_assert_uint_eq(get(DAY_OF_MONTH), t.day);
	ck_assert_uint_eq(get(HOURS), t.hours);
	ck_assert_uint_eq(get(MINUTES), t.minutes);
	ck_assert_uint_eq(get(SECONDS), t.seconds);
}

static void write_time(struct stamp t)
{
	set(CENTURY, t.century);
	set(YEAR, t.year);
	set(MONTH, t.month);
	set(DAY_OF_MONTH, t.day);
	set(HOURS, t.hours);
	set(MINUTES, t.minutes);
	set(SECONDS, t.seconds);
}

START_TEST(control_registers_at_start)
{
	ck_assert_uint_eq(get(REG_A), 0x26);
	ck_assert_uint_eq(get(REG_B), 0x02);
	ck_assert_uint_eq(get(REG_C), 0x00);
	ck_assert_uint_eq(get(REG_D), 0x80);
}
END_TEST

START_TEST(time_is_bcd_and_24_hours_at_start)
{
	expect_time((struct stamp){0x20, 0x24, 0x02, 0x29, 0x23, 0x59, 0x58});
	ck_assert_uint_eq(get(DAY_OF_WEEK), 5);
}
END_TEST

START_TEST(time_moves_with_the_host)
{
	clock_s += 2;
	expect_time((struct stamp){0x20, 0x24, 0x03, 0x01, 0x00, 0x00, 0x00});
	ck_assert_uint_eq(get(DAY_OF_WEEK), 6);
	clock_s += 86400;
	ck_assert_uint_eq(get(DAY_OF_WEEK), 7);
	clock_s += 86400;
	ck_assert_uint_eq(get(DAY_OF_WEEK), 1);
}
END_TEST

START_TEST(binary_mode)
{
	set(REG_B, HOURS24 | BINARY);
	expect_time((struct stamp){20, 24, 2, 29, 23, 59, 58});
}
END_TEST

START_TEST(twelve_hour_mode)
{
	static const struct {
		int64_t hours;
		uint8_t bcd, binary;
	} rows[] = {
		{0, 0x12, 12},    {1, 0x01, 1},     {11, 0x11, 11},
		{12, 0x92, 0x8c}, {13, 0x81, 0x81}, {23, 0x91, 0x8b},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		clock_s = rows[i].hours * 3600;
		set(REG_B, 0);
		ck_assert_uint_eq(get(HOURS), rows[i].bcd);
		set(REG_B, BINARY);
		ck_assert_uint_eq(get(HOURS), rows[i].binary);

		/* and back: writing what was read changes nothing */
		set(HOURS, rows[i].binary);
		ck_assert_int_eq(rtc.offset_s, 0);
		set(REG_B, 0);
		set(HOURS, rows[i].bcd);
		ck_assert_int_eq(rtc.offset_s, 0);
	}
}
END_TEST

START_TEST(update_is_never_in_progress)
{
	set(REG_A, 0xff);
	ck_assert_uint_eq(get(REG_A), 0x7f);
	set(REG_A, 0x80);
	ck_assert_uint_eq(get(REG_A), 0x00);
}
END_TEST

START_TEST(c_and_d_are_read_only)
{
	set(REG_C, 0xff);
	set(REG_D, 0x00);
	ck_assert_uint_eq(get(REG_C), 0x00);
	ck_assert_uint_eq(get(REG_D), 0x80);
}
END_TEST

START_TEST(write_without_set_moves_the_clock)
{
	set(MINUTES, 0x29);
	ck_assert_int_eq(rtc.offset_s, -30 * 60);
	clock_s += 1;
	expect_time((struct stamp){0x20, 0x24, 0x02, 0x29, 0x23, 0x29, 0x59});
}
END_TEST

START_TEST(set_freezes_until_it_is_cleared)
{
	set(REG_B, SET | HOURS24);
	clock_s += 3600;
	expect_time((struct stamp){0x20, 0x24, 0x02, 0x29, 0x23, 0x59, 0x58});

	write_time((struct stamp){0x19, 0x99, 0x12, 0x31, 0x23, 0x59, 0x59});
	clock_s += 3600;
	expect_time((struct stamp){0x19, 0x99, 0x12, 0x31, 0x23, 0x59, 0x59});

	set(REG_B, HOURS24);
	expect_time((struct stamp){0x19, 0x99, 0x12, 0x31, 0x23, 0x59, 0x59});
	clock_s += 1;
	expect_time((struct stamp){0x20, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00});
	ck_assert_uint_eq(get(DAY_OF_WEEK), 7);
}
END_TEST

START_TEST(set_can_change_the_format_too)
{
	set(REG_B, SET | BINARY);
	write_time((struct stamp){20, 30, 1, 2, 0x80 | 3, 4, 5});
	set(REG_B, BINARY);
	set(REG_B, HOURS24);
	expect_time((struct stamp){0x20, 0x30, 0x01, 0x02, 0x15, 0x04, 0x05});
}
END_TEST

START_TEST(day_of_week_follows_the_date)
{
	set(DAY_OF_WEEK, 1);
	ck_assert_uint_eq(get(DAY_OF_WEEK), 5);
	ck_assert_int_eq(rtc.offset_s, 0);
}
END_TEST

START_TEST(before_the_epoch)
{
	set(REG_B, SET | HOURS24);
	write_time((struct stamp){0x00, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00});
	set(REG_B, HOURS24);
	expect_time((struct stamp){0x00, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00});
}
END_TEST

START_TEST(years_wrap_at_10000)
{
	set(REG_B, SET | HOURS24);
	write_time((struct stamp){0x99, 0x99, 0x12, 0x31, 0x23, 0x59, 0x59});
	set(REG_B, HOURS24);
	clock_s += 1;
	expect_time((struct stamp){0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00});

	set(REG_B, SET | HOURS24);
	write_time((struct stamp){0x00, 0x00, 0x00, 0x31, 0x00, 0x00, 0x00}); /* month 0 */
	set(REG_B, HOURS24);
	expect_time((struct stamp){0x99, 0x99, 0x12, 0x31, 0x00, 0x00, 0x00});
}
END_TEST

static bool is_bcd(uint8_t val, uint8_t max)
{
	return (val & 0x0f) <= 9 && val <= max;
}

START_TEST(any_bytes_give_a_valid_time)
{
	static const uint8_t reg[] = {SECONDS, MINUTES, HOURS, DAY_OF_MONTH, MONTH, YEAR, CENTURY};

	for (unsigned i = 0; i < sizeof(reg); i++) {
		for (unsigned val = 0; val <= 0xff; val++) {
			set(REG_B, (val & 1 ? BINARY : 0) | (val & 2 ? HOURS24 : 0));
			set(reg[i], val);
			set(REG_B, HOURS24);
			ck_assert(is_bcd(get(SECONDS), 0x59));
			ck_assert(is_bcd(get(MINUTES), 0x59));
			ck_assert(is_bcd(get(HOURS), 0x23));
			ck_assert(get(DAY_OF_WEEK) >= 1 && get(DAY_OF_WEEK) <= 7);
			ck_assert(get(DAY_OF_MONTH) && is_bcd(get(DAY_OF_MONTH), 0x31));
			ck_assert(get(MONTH) && is_bcd(get(MONTH), 0x12));
			ck_assert(is_bcd(get(YEAR), 0x99));
			ck_assert(is_bcd(get(CENTURY), 0x99));
		}
	}
}
END_TEST

START_TEST(alarm_and_ram_are_storage)
{
	for (unsigned reg = 0x0e; reg <= 0x7f; reg++) {
		if (reg != CENTURY)
			set(reg, reg ^ 0xff);
	}
	set(0x01, 0x11);
	set(0x03, 0x33);
	set(0x05, 0xff);
	for (unsigned reg = 0x0e; reg <= 0x7f; reg++) {
		if (reg != CENTURY)
			ck_assert_uint_eq(get(reg), reg ^ 0xff);
	}
	ck_assert_uint_eq(get(0x01), 0x11);
	ck_assert_uint_eq(get(0x03), 0x33);
	ck_assert_uint_eq(get(0x05), 0xff);
	ck_assert_int_eq(rtc.offset_s, 0);
}
END_TEST

START_TEST(index_has_seven_bits)
{
	set(0x7f, 0x5a);
	ck_assert_uint_eq(get(0xff), 0x5a);
	set(0x80 | REG_A, 0x20);
	ck_assert_uint_eq(get(REG_A), 0x20);
}
END_TEST

START_TEST(other_offsets_are_not_there)
{
	rtc_write(&rtc, 0, REG_D);
	ck_assert_uint_eq(rtc_read(&rtc, 0), 0xff);
	ck_assert_uint_eq(rtc_read(&rtc, 2), 0xff);
	rtc_write(&rtc, 2, REG_A);
	ck_assert_uint_eq(rtc_read(&rtc, 1), 0x80);
}
END_TEST

START_TEST(reset_keeps_time_and_ram)
{
	set(0x40, 0x77);
	set(MINUTES, 0x00);
	set(REG_B, 0x78 | BINARY | HOURS24);
	rtc_reset(&rtc);
	ck_assert_uint_eq(rtc_read(&rtc, 1), 58); /* index 0 */
	ck_assert_uint_eq(get(REG_B), BINARY | HOURS24);
	ck_assert_uint_eq(get(0x40), 0x77);
	ck_assert_uint_eq(get(MINUTES), 0);
}
END_TEST

Suite *rtc_suite(void)
{
	Suite *s = suite_create("rtc");
	TCase *tc = tcase_create("rtc");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, control_registers_at_start);
	tcase_add_test(tc, time_is_bcd_and_24_hours_at_start);
	tcase_add_test(tc, time_moves_with_the_host);
	tcase_add_test(tc, binary_mode);
	tcase_add_test(tc, twelve_hour_mode);
	tcase_add_test(tc, update_is_never_in_progress);
	tcase_add_test(tc, c_and_d_are_read_only);
	tcase_add_test(tc, write_without_set_moves_the_clock);
	tcase_add_test(tc, set_freezes_until_it_is_cleared);
	tcase_add_test(tc, set_can_change_the_format_too);
	tcase_add_test(tc, day_of_week_follows_the_date);
	tcase_add_test(tc, before_the_epoch);
	tcase_add_test(tc, years_wrap_at_10000);
	tcase_add_test(tc, any_bytes_give_a_valid_time);
	tcase_add_test(tc, alarm_and_ram_are_storage);
	tcase_add_test(tc, index_has_seven_bits);
	tcase_add_test(tc, other_offsets_are_not_there);
	tcase_add_test(tc, reset_keeps_time_and_ram);
	suite_add_tcase(s, tc);
	return s;
}
