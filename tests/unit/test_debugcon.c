/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/debugcon.c, with a page of fake guest memory. */
#include <check.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "devices/debugcon.h"
#include "guest-kernel/abi/debugcon.h"

#define RAM_BASE 0x1000u
#define RAM_SIZE 0x1000u

struct host {
	uint8_t ram[RAM_SIZE]; /* seen by the guest at RAM_BASE */
	unsigned descriptor_reads;
	uint8_t sent[RAM_SIZE];
	size_t sent_size;
	unsigned tx_calls;
};

static struct host host;
static struct debugcon con;

static void tx(void *ctx, const uint8_t *data, size_t size)
{
	struct host *h = ctx;

	h->tx_calls++;
	ck_assert_uint_le(h->sent_size + size, sizeof(h->sent));
	memcpy(h->sent + h->sent_size, data, size);
	h->sent_size += size;
}

static const void *gpa_ptr(void *ctx, uint64_t gpa, uint64_t size)
{
	struct host *h = ctx;

	if (gpa < RAM_BASE || gpa - RAM_BASE >= RAM_SIZE || size > RAM_SIZE - (gpa - RAM_BASE))
		return NULL;
	h->descriptor_reads += size == sizeof(struct debugcon_block);
	return h->ram + (gpa - RAM_BASE);
}

static void setup(void)
{
	struct debugcon_env env = {.tx = tx, .gpa_ptr = gpa_ptr, .ctx = &host};

	memset(&host, 0, sizeof(host));
	debugcon_init(&con, &env);
}

/* Places a descriptor at RAM_BASE + off and hands it over. */
static void hand_over(size_t off, uint32_t magic, uint32_t size_bytes, uint64_t gpa)
{
	struct debugcon_block block = {magic, size_bytes, gpa};

	memcpy(host.ram + off, &block, sizeof(block));
	debugcon_write(&con, RAM_BASE + off, 4);
}

static void expect_rejected(uint64_t count)
{
	ck_assert_uint_eq(con.rejected_blocks, count);
	ck_assert_uint_eq(host.tx_calls, 0);
}

START_TEST(reads_identify_the_console)
{
	ck_assert_uint_eq(debugcon_read(&con, 1), 0xe9);
	ck_assert_uint_eq(debugcon_read(&con, 2), 0xffe9);
	ck_assert_uint_eq(debugcon_read(&con, 4), 0x31465056);
}
END_TEST

START_TEST(narrow_writes_send_one_byte)
{
	debugcon_write(&con, 0xffffff41, 1);
	debugcon_write(&con, 0x1042, 2);
	ck_assert_uint_eq(host.sent_size, 2);
	ck_assert_mem_eq(host.sent, "AB", 2);
}
END_TEST

START_TEST(strings_are_sent_in_one_piece)
{
	debugcon_write_string(&con, (const uint8_t *)"string", 6);
	ck_assert_uint_eq(host.tx_calls, 1);
	ck_assert_uint_eq(host.sent_size, 6);
	ck_assert_mem_eq(host.sent, "string", 6);
	debugcon_write_string(&con, NULL, 0);
	ck_assert_uint_eq(host.tx_calls, 1);
}
END_TEST

START_TEST(block_is_sent_in_one_piece)
{
	memcpy(host.ram + 0x100, "a block", 7);
	hand_over(0, DEBUGCON_BLOCK_MAGIC, 7, RAM_BASE + 0x100);
	ck_assert_uint_eq(con.rejected_blocks, 0);
	ck_assert_uint_eq(host.tx_calls, 1);
	ck_assert_uint_eq(host.sent_size, 7);
	ck_assert_mem_eq(host.sent, "a block", 7);
	ck_assert_uint_eq(host.descriptor_reads, 1);
}
END_TEST

START_TEST(block_may_fill_ram_to_the_last_byte)
{
	host.ram[RAM_SIZE - 1] = 'z';
	hand_over(0, DEBUGCON_BLOCK_MAGIC, RAM_SIZE, RAM_BASE);
	ck_assert_uint_eq(host.sent_size, RAM_SIZE);
	ck_assert_uint_eq(host.sent[RAM_SIZE - 1], 'z');
}
END_TEST

START_TEST(descriptor_may_be_the_last_bytes_and_unaligned)
{
	host.ram[1] = 'x';
	hand_over(RAM_SIZE - sizeof(struct debugcon_block), DEBUGCON_BLOCK_MAGIC, 1, RAM_BASE + 1);
	hand_over(3, DEBUGCON_BLOCK_MAGIC, 1, RAM_BASE + 1);
	ck_assert_uint_eq(host.sent_size, 2);
	ck_assert_mem_eq(host.sent, "xx", 2);
}
END_TEST

START_TEST(descriptor_outside_ram_is_rejected)
{
	debugcon_write(&con, 0, 4);
	debugcon_write(&con, RAM_BASE - 1, 4);
	debugcon_write(&con, RAM_BASE + RAM_SIZE - sizeof(struct debugcon_block) + 1, 4);
	debugcon_write(&con, UINT32_MAX, 4);
	expect_rejected(4);
}
END_TEST

START_TEST(wrong_magic_is_rejected)
{
	hand_over(0, DEBUGCON_BLOCK_MAGIC ^ 1, 1, RAM_BASE);
	expect_rejected(1);
}
END_TEST

START_TEST(bad_sizes_are_rejected)
{
	hand_over(0, DEBUGCON_BLOCK_MAGIC, 0, RAM_BASE);
	hand_over(0, DEBUGCON_BLOCK_MAGIC, RAM_SIZE + 1, RAM_BASE);
	hand_over(0, DEBUGCON_BLOCK_MAGIC, UINT32_MAX, RAM_BASE);
	expect_rejected(3);
}
END_TEST

START_TEST(data_outside_ram_is_rejected)
{
	hand_over(0, DEBUGCON_BLOCK_MAGIC, 1, RAM_BASE - 1);
	hand_over(0, DEBUGCON_BLOCK_MAGIC, 1, RAM_BASE + RAM_SIZE);
	hand_over(0, DEBUGCON_BLOCK_MAGIC, 2, RAM_BASE + RAM_SIZE - 1);
	hand_over(0, DEBUGCON_BLOCK_MAGIC, 2, UINT64_MAX);
	hand_over(0, DEBUGCON_BLOCK_MAGIC, 1, (1ull << 32) + RAM_BASE);
	expect_rejected(5);
}
END_TEST

static uint8_t endless_ram[16];

static const void *everything_is_ram(void *ctx, uint64_t gpa, uint64_t size)
{
	(void)ctx;
	(void)gpa;
	(void)size;
	return endless_ram;
}

static void tx_size(void *ctx, const uint8_t *data, size_t size)
{
	size_t *sum = ctx;

	(void)data;
	*sum += size;
}

START_TEST(limit_holds_however_much_ram_there_is)
{
	size_t sum = 0;
	struct debugcon_env env = {.tx = tx_size, .gpa_ptr = everything_is_ram, .ctx = &sum};
	struct debugcon_block block = {DEBUGCON_BLOCK_MAGIC, DEBUGCON_BLOCK_MAX, 0};

	debugcon_init(&con, &env);
	memcpy(endless_ram, &block, sizeof(block));
	debugcon_write(&con, 0, 4);
	ck_assert_uint_eq(sum, DEBUGCON_BLOCK_MAX);

	block.size_bytes++;
	memcpy(endless_ram, &block, sizeof(block));
	debugcon_write(&con, 0, 4);
	ck_assert_uint_eq(sum, DEBUGCON_BLOCK_MAX);
	ck_assert_uint_eq(con.rejected_blocks, 1);
}
END_TEST

START_TEST(reset_keeps_only_the_environment)
{
	debugcon_write(&con, 0, 4);
	debugcon_reset(&con);
	ck_assert_uint_eq(con.rejected_blocks, 0);
	debugcon_write(&con, 'r', 1);
	ck_assert_uint_eq(host.sent_size, 1);
}
END_TEST

Suite *debugcon_suite(void)
{
	Suite *s = suite_create("debugcon");
	TCase *tc = tcase_create("debugcon");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, reads_identify_the_console);
	tcase_add_test(tc, narrow_writes_send_one_byte);
	tcase_add_test(tc, strings_are_sent_in_one_piece);
	tcase_add_test(tc, block_is_sent_in_one_piece);
	tcase_add_test(tc, block_may_fill_ram_to_the_last_byte);
	tcase_add_test(tc, descriptor_may_be_the_last_bytes_and_unaligned);
	tcase_add_test(tc, descriptor_outside_ram_is_rejected);
	tcase_add_test(tc, wrong_magic_is_rejected);
	tcase_add_test(tc, bad_sizes_are_rejected);
	tcase_add_test(tc, data_outside_ram_is_rejected);
	tcase_add_test(tc, limit_holds_however_much_ram_there_is);
	tcase_add_test(tc, reset_keeps_only_the_environment);
	suite_add_tcase(s, tc);
	return s;
}
