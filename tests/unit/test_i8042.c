/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/i8042.c. */
#include <check.h>

#include "tests/unit/suites.h"
#include "devices/i8042.h"

#define OBF     0x01
#define IBF     0x02
#define SYSTEM  0x04
#define COMMAND 0x08

static unsigned resets;
static struct i8042 kbc;

static void on_reset(void *ctx)
{
	unsigned *count = ctx;

	(*count)++;
}

static void setup(void)
{
	struct i8042_env env = {.reset = on_reset, .ctx = &resets};

	resets = 0;
	i8042_init(&kbc, &env);
}

/* Sends a command that answers, and returns the answer. */
static uint8_t ask(uint8_t command)
{
	uint8_t val;

	i8042_write_command(&kbc, command);
	ck_assert_uint_eq(i8042_read_status(&kbc) & OBF, OBF);
	val = i8042_read_data(&kbc);
	ck_assert_uint_eq(i8042_read_status(&kbc) & OBF, 0);
	return val;
}

static void tell(uint8_t command, uint8_t data)
{
	i8042_write_command(&kbc, command);
	i8042_write_data(&kbc, data);
}

START_TEST(starts_idle)
{
	ck_assert_uint_eq(i8042_read_status(&kbc), 0x10);
	ck_assert_uint_eq(i8042_read_data(&kbc), 0);
	ck_assert_uint_eq(resets, 0);
}
END_TEST

START_TEST(config_byte_reads_back)
{
	tell(0x60, 0x61);
	ck_assert_uint_eq(ask(0x20), 0x61);
	tell(0x60, 0x00);
	ck_assert_uint_eq(ask(0x20), 0x00);
}
END_TEST

START_TEST(system_flag_follows_config)
{
	tell(0x60, 0x04);
	ck_assert_uint_eq(i8042_read_status(&kbc) & SYSTEM, SYSTEM);
	tell(0x60, 0x00);
	ck_assert_uint_eq(i8042_read_status(&kbc) & SYSTEM, 0);
}
END_TEST

START_TEST(self_test_passes_and_sets_the_system_flag)
{
	ck_assert_uint_eq(ask(0xaa), 0x55);
	ck_assert_uint_eq(i8042_read_status(&kbc) & SYSTEM, SYSTEM);
	ck_assert_uint_eq(ask(0x20) & 0x04, 0x04);
}
END_TEST

START_TEST(keyboard_line_test_passes)
{
	ck_assert_uint_eq(ask(0xaa), 0x55);
	ck_assert_uint_eq(ask(0xab), 0x00);
}
END_TEST

START_TEST(enable_and_disable_change_their_config_bits)
{
	i8042_write_command(&kbc, 0xad);
	ck_assert_uint_eq(ask(0x20), 0x10);
	i8042_write_command(&kbc, 0xa7);
	ck_assert_uint_eq(ask(0x20), 0x30);
	i8042_write_command(&kbc, 0xae);
	ck_assert_uint_eq(ask(0x20), 0x20);
	i8042_write_command(&kbc, 0xa8);
	ck_assert_uint_eq(ask(0x20), 0x00);
}
END_TEST

START_TEST(status_tells_commands_from_data)
{
	i8042_write_command(&kbc, 0xae);
	ck_assert_uint_eq(i8042_read_status(&kbc) & COMMAND, COMMAND);
	i8042_write_data(&kbc, 0x00);
	ck_assert_uint_eq(i8042_read_status(&kbc) & COMMAND, 0);
}
END_TEST

START_TEST(absent_keyboard_does_not_answer)
{
	i8042_write_data(&kbc, 0xff); /* keyboard reset */
	ck_assert_uint_eq(i8042_read_status(&kbc) & (OBF | IBF), 0);
	i8042_write_data(&kbc, 0xf4);
	ck_assert_uint_eq(i8042_read_status(&kbc) & (OBF | IBF), 0);
	tell(0xd4, 0xff); /* mouse reset */
	ck_assert_uint_eq(i8042_read_status(&kbc) & (OBF | IBF), 0);
	ck_assert_uint_eq(ask(0x20), 0);
	ck_assert_uint_eq(resets, 0);
}
END_TEST

START_TEST(output_port_reads_back)
{
	ck_assert_uint_eq(ask(0xd0), 0x03);
	tell(0xd1, 0xdd);
	ck_assert_uint_eq(ask(0xd0), 0xdd);
	ck_assert_uint_eq(resets, 0);
}
END_TEST

START_TEST(output_port_bit_0_low_resets)
{
	tell(0xd1, 0x02);
	ck_assert_uint_eq(resets, 1);
	ck_assert_uint_eq(ask(0xd0) & 0x01, 0x01);
}
END_TEST

START_TEST(pulse_commands_with_bit_0_low_reset)
{
	unsigned expected = 0;

	for (unsigned val = 0xf0; val <= 0xff; val++) {
		expected += !(val & 1);
		i8042_write_command(&kbc, val);
		ck_assert_uint_eq(resets, expected);
	}
	ck_assert_uint_eq(expected, 8);
}
END_TEST

START_TEST(no_other_command_resets)
{
	for (unsigned val = 0; val < 0xf0; val++)
		i8042_write_command(&kbc, val);
	ck_assert_uint_eq(resets, 0);
}
END_TEST

START_TEST(new_command_ends_the_wait_for_data)
{
	i8042_write_command(&kbc, 0xd1);
	i8042_write_command(&kbc, 0xae);
	i8042_write_data(&kbc, 0x00); /* to the keyboard, not to the output port */
	ck_assert_uint_eq(resets, 0);
	ck_assert_uint_eq(ask(0xd0), 0x03);
}
END_TEST

START_TEST(command_takes_one_data_byte)
{
	tell(0x60, 0x01);
	i8042_write_data(&kbc, 0x77);
	ck_assert_uint_eq(ask(0x20), 0x01);
}
END_TEST

START_TEST(reset_clears_everything_but_the_environment)
{
	tell(0x60, 0x7f);
	tell(0xd1, 0xff);
	i8042_write_command(&kbc, 0xaa);
	i8042_write_command(&kbc, 0x60);
	i8042_reset(&kbc);
	ck_assert_uint_eq(i8042_read_status(&kbc), 0x10);
	i8042_write_data(&kbc, 0x04);
	ck_assert_uint_eq(ask(0x20), 0x00);
	ck_assert_uint_eq(ask(0xd0), 0x03);
	i8042_write_command(&kbc, 0xfe);
	ck_assert_uint_eq(resets, 1);
}
END_TEST

Suite *i8042_suite(void)
{
	Suite *s = suite_create("i8042");
	TCase *tc = tcase_create("i8042");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, starts_idle);
	tcase_add_test(tc, config_byte_reads_back);
	tcase_add_test(tc, system_flag_follows_config);
	tcase_add_test(tc, self_test_passes_and_sets_the_system_flag);
	tcase_add_test(tc, keyboard_line_test_passes);
	tcase_add_test(tc, enable_and_disable_change_their_config_bits);
	tcase_add_test(tc, status_tells_commands_from_data);
	tcase_add_test(tc, absent_keyboard_does_not_answer);
	tcase_add_test(tc, output_port_reads_back);
	tcase_add_test(tc, output_port_bit_0_low_resets);
	tcase_add_test(tc, pulse_commands_with_bit_0_low_reset);
	tcase_add_test(tc, no_other_command_resets);
	tcase_add_test(tc, new_command_ends_the_wait_for_data);
	tcase_add_test(tc, command_takes_one_data_byte);
	tcase_add_test(tc, reset_clears_everything_but_the_environment);
	suite_add_tcase(s, tc);
	return s;
}
