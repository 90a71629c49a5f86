/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/acpi_power.c: off by the right sleep type alone, one edge per press. */
#include <check.h>

#include "devices/acpi_power.h"
#include "tests/unit/suites.h"

static struct acpi_power power;
static unsigned offs, edges;

static void on_off(void *ctx)
{
	(void)ctx;
	offs++;
}

static void on_irq(void *ctx)
{
	(void)ctx;
	edges++;
}

static void setup(void)
{
	const struct acpi_power_env env = {.off = on_off, .irq = on_irq};

	offs = edges = 0;
	acpi_power_init(&power, &env);
}

START_TEST(off_is_type_5_with_enable)
{
	for (unsigned val = 0; val < 256; val++) {
		offs = 0;
		acpi_power_write(&power, ACPI_POWER_SLEEP_CONTROL, (uint8_t)val);
		ck_assert_uint_eq(offs, (val & 0x3c) == 0x34);
	}
	offs = 0;
	acpi_power_write(&power, ACPI_POWER_SLEEP_STATUS, 0x34);
	acpi_power_write(&power, ACPI_POWER_EVENTS, 0x34);
	acpi_power_write(&power, ACPI_POWER_REGS, 0x34);
	ck_assert_uint_eq(offs, 0);
}
END_TEST

START_TEST(a_press_is_seen_once)
{
	acpi_power_press(&power);
	acpi_power_press(&power);
	ck_assert_uint_eq(edges, 1);
	ck_assert_uint_eq(acpi_power_read(&power, ACPI_POWER_EVENTS), ACPI_EVENT_BUTTON);
	ck_assert_uint_eq(acpi_power_read(&power, ACPI_POWER_EVENTS), 0);
	acpi_power_press(&power);
	ck_assert_uint_eq(edges, 2);
}
END_TEST

START_TEST(reads)
{
	ck_assert_uint_eq(acpi_power_read(&power, ACPI_POWER_SLEEP_CONTROL), 0);
	ck_assert_uint_eq(acpi_power_read(&power, ACPI_POWER_SLEEP_STATUS), 0);
	ck_assert_uint_eq(acpi_power_read(&power, ACPI_POWER_REGS), 0xff);
}
END_TEST

Suite *acpi_power_suite(void)
{
	Suite *s = suite_create("acpi_power");
	TCase *t = tcase_create("acpi_power");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, off_is_type_5_with_enable);
	tcase_add_test(t, a_press_is_seen_once);
	tcase_add_test(t, reads);
	suite_add_tcase(s, t);
	return s;
}
