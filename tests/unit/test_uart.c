/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/uart.c: every register, both directions, loopback. */
#include <check.h>

#include "tests/unit/suites.h"
#include "tests/unit/uart_peer.h"

static void expect_power_on_state(void)
{
	ck_assert_uint_eq(get(RBR), 0);
	ck_assert_uint_eq(get(IER), 0);
	ck_assert_uint_eq(get(IIR), IIR_NONE);
	ck_assert_uint_eq(get(LCR), 0);
	ck_assert_uint_eq(get(MCR), 0);
	ck_assert_uint_eq(get(LSR), LSR_IDLE);
	ck_assert_uint_eq(get(MSR), 0xb0); /* DCD, DSR, CTS; no change */
	ck_assert_uint_eq(get(SCR), 0);
}

START_TEST(registers_at_start)
{
	expect_power_on_state();
	ck_assert_uint_eq(uart_peer.irq_changes, 0);
}
END_TEST

START_TEST(divisor_latches_hide_behind_dlab)
{
	set(IER, 0x05);
	set(LCR, DLAB);
	ck_assert_uint_ne(get(DLL) | get(DLM) << 8, 0);
	set(DLL, 0x34);
	set(DLM, 0x12);
	ck_assert_uint_eq(get(DLL), 0x34);
	ck_assert_uint_eq(get(DLM), 0x12);
	ck_assert_uint_eq(uart_peer.tx_calls, 0);

	set(LCR, 0x03);
	ck_assert_uint_eq(get(IER), 0x05);
	receive("r");
	ck_assert_uint_eq(get(RBR), 'r');
	set(LCR, DLAB);
	ck_assert_uint_eq(get(DLL), 0x34);
	ck_assert_uint_eq(get(DLM), 0x12);
}
END_TEST

START_TEST(dlab_read_does_not_eat_a_byte)
{
	receive("r");
	set(LCR, DLAB);
	get(DLL);
	set(LCR, 0);
	ck_assert_uint_eq(get(RBR), 'r');
}
END_TEST

START_TEST(ier_has_four_bits)
{
	set(IER, 0xff);
	ck_assert_uint_eq(get(IER), 0x0f);
}
END_TEST

START_TEST(lcr_reads_back_in_full)
{
	set(LCR, 0xff);
	ck_assert_uint_eq(get(LCR), 0xff);
	set(LCR, 0x1b);
	ck_assert_uint_eq(get(LCR), 0x1b);
}
END_TEST

START_TEST(mcr_has_five_bits)
{
	set(MCR, 0xff);
	ck_assert_uint_eq(get(MCR), 0x1f);
}
END_TEST

START_TEST(scratch_reads_back)
{
	set(SCR, 0xa5);
	ck_assert_uint_eq(get(SCR), 0xa5);
	set(SCR, 0x5a);
	ck_assert_uint_eq(get(SCR), 0x5a);
}
END_TEST

START_TEST(lsr_and_msr_ignore_writes)
{
	set(LSR, 0xff);
	set(LSR, 0x00);
	ck_assert_uint_eq(get(LSR), LSR_IDLE);
	set(MSR, 0xff);
	ck_assert_uint_eq(get(MSR), 0xb0);
}
END_TEST

START_TEST(other_offsets_are_not_there)
{
	ck_assert_uint_eq(get(8), 0xff);
	ck_assert_uint_eq(get(0xffffffff), 0xff);
	set(8, 0x41);
	ck_assert_uint_eq(uart_peer.tx_calls, 0);
}
END_TEST

START_TEST(fcr_and_lcr_are_two_registers)
{
	/* The FCR's bits 0-2 look like LCR's word length and stop bits: they must not act there. */
	set(FCR, 0x01);
	receive("ab");
	set(LCR, 0x07);
	ck_assert_uint_eq(get(RBR), 'a');
	ck_assert_uint_eq(get(IIR) & IIR_FIFO, IIR_FIFO);
	ck_assert_uint_eq(get(LCR), 0x07);
	set(FCR, 0x03);
	ck_assert_uint_eq(get(LCR), 0x07);
	ck_assert_uint_eq(get(LSR) & LSR_DR, 0);
}
END_TEST

START_TEST(msr_and_lsr_are_two_registers)
{
	receive("a");
	ck_assert_uint_eq(get(MSR), 0xb0);
	ck_assert_uint_eq(get(LSR), LSR_IDLE | LSR_DR);
}
END_TEST

START_TEST(fifo_enable_shows_in_iir)
{
	set(FCR, 0x01);
	ck_assert_uint_eq(get(IIR), IIR_FIFO | IIR_NONE);
	set(FCR, 0x00);
	ck_assert_uint_eq(get(IIR), IIR_NONE);
	set(FCR, 0xfe); /* the other bits count only with bit 0 */
	ck_assert_uint_eq(get(IIR), IIR_NONE);
}
END_TEST

START_TEST(fcr_clears_the_receiver)
{
	set(FCR, 0x01);
	receive("abc");
	set(FCR, 0x05); /* transmitter only */
	ck_assert_uint_eq(get(LSR) & LSR_DR, LSR_DR);
	set(FCR, 0x01);
	ck_assert_uint_eq(get(LSR) & LSR_DR, LSR_DR);
	set(FCR, 0x03);
	ck_assert_uint_eq(get(LSR) & LSR_DR, 0);
	ck_assert_uint_eq(uart_rx_room(&uart_chip), 16);
}
END_TEST

START_TEST(changing_the_mode_clears_the_receiver)
{
	set(FCR, 0x01);
	receive("abc");
	set(FCR, 0x00);
	ck_assert_uint_eq(get(LSR) & LSR_DR, 0);
	receive("d");
	set(FCR, 0x01);
	ck_assert_uint_eq(get(LSR) & LSR_DR, 0);
	receive("e");
	set(FCR, 0x00);
	set(FCR, 0x02); /* without bit 0, bit 1 is not taken */
	receive("f");
	set(FCR, 0x02);
	ck_assert_uint_eq(get(RBR), 'f');
}
END_TEST

START_TEST(bytes_are_sent_at_once)
{
	set(THR, 'a');
	ck_assert_uint_eq(get(LSR), LSR_IDLE);
	set(THR, 'b');
	ck_assert_uint_eq(uart_peer.got_size, 2);
	ck_assert_mem_eq(uart_peer.got, "ab", 2);
}
END_TEST

START_TEST(bytes_keep_all_eight_bits)
{
	set(LCR, 0x00); /* five, says the chip; see the core */
	set(THR, 0xff);
	ck_assert_uint_eq(uart_peer.got[0], 0xff);
}
END_TEST

START_TEST(string_is_sent_in_one_piece)
{
	uart_write_string(&uart_chip, THR, (const uint8_t *)"hello", 5);
	ck_assert_uint_eq(uart_peer.tx_calls, 1);
	ck_assert_mem_eq(uart_peer.got, "hello", 5);
	uart_write_string(&uart_chip, THR, NULL, 0);
	ck_assert_uint_eq(uart_peer.tx_calls, 1);
}
END_TEST

START_TEST(string_to_other_registers_is_as_many_writes)
{
	uart_write_string(&uart_chip, SCR, (const uint8_t *)"xyz", 3);
	ck_assert_uint_eq(get(SCR), 'z');
	set(LCR, DLAB);
	uart_write_string(&uart_chip, DLL, (const uint8_t *)"xyz", 3);
	ck_assert_uint_eq(get(DLL), 'z');
	ck_assert_uint_eq(uart_peer.tx_calls, 0);
}
END_TEST

START_TEST(without_fifo_one_byte_fits)
{
	ck_assert_uint_eq(uart_rx_room(&uart_chip), 1);
	ck_assert_uint_eq(receive("ab"), 1);
	ck_assert_uint_eq(uart_rx_room(&uart_chip), 0);
	ck_assert_uint_eq(receive("b"), 0);
	ck_assert_uint_eq(get(LSR), LSR_IDLE | LSR_DR);
	ck_assert_uint_eq(get(RBR), 'a');
	ck_assert_uint_eq(get(LSR), LSR_IDLE);
	ck_assert_uint_eq(receive("b"), 1);
	ck_assert_uint_eq(get(RBR), 'b');
	ck_assert_uint_eq(get(RBR), 0);
}
END_TEST

START_TEST(fifo_holds_sixteen_and_wraps)
{
	set(FCR, 0x01);
	for (unsigned round = 0; round < 5; round++) {
		ck_assert_uint_eq(receive("0123456789"), 10);
		ck_assert_uint_eq(receive("abcdefghij"), 6);
		ck_assert_uint_eq(uart_rx_room(&uart_chip), 0);
		for (const char *c = "0123456789abcdef"; *c; c++)
			ck_assert_uint_eq(get(RBR), *c);
		ck_assert_uint_eq(get(LSR), LSR_IDLE);
		receive("123"); /* the next round starts at another place in the ring */
		set(FCR, 0x03);
		receive("xyz");
		get(RBR);
		get(RBR);
		get(RBR);
	}
}
END_TEST

START_TEST(loopback_returns_bytes_and_sends_none)
{
	set(FCR, 0x01);
	set(MCR, LOOPBACK);
	set(THR, 'a');
	uart_write_string(&uart_chip, THR, (const uint8_t *)"bc", 2);
	ck_assert_uint_eq(uart_peer.tx_calls, 0);
	ck_assert_uint_eq(get(LSR), LSR_IDLE | LSR_DR);
	ck_assert_uint_eq(get(RBR), 'a');
	ck_assert_uint_eq(get(RBR), 'b');
	ck_assert_uint_eq(get(RBR), 'c');
	ck_assert_uint_eq(get(LSR), LSR_IDLE);
}
END_TEST

START_TEST(loopback_cuts_off_the_input)
{
	set(FCR, 0x01);
	set(MCR, LOOPBACK);
	ck_assert_uint_eq(uart_rx_room(&uart_chip), 0);
	ck_assert_uint_eq(receive("a"), 0);
	ck_assert_uint_eq(get(LSR), LSR_IDLE);
	set(MCR, 0);
	ck_assert_uint_eq(uart_rx_room(&uart_chip), 16);
}
END_TEST

START_TEST(loopback_joins_the_modem_lines)
{
	static const struct {
		uint8_t mcr, msr;
	} rows[] = {
		{0x00, 0x00}, {0x01, 0x20}, /* DTR to DSR */
		{0x02, 0x10},               /* RTS to CTS */
		{0x04, 0x40},               /* OUT1 to RI */
		{0x08, 0x80},               /* OUT2 to DCD */
		{0x0a, 0x90}, {0x0f, 0xf0},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set(MCR, LOOPBACK | rows[i].mcr);
		ck_assert_uint_eq(get(MSR) & 0xf0, rows[i].msr);
	}
	set(MCR, 0x00);
	ck_assert_uint_eq(get(MSR) & 0xf0, 0xb0);
}
END_TEST

START_TEST(modem_deltas)
{
	set(MCR, LOOPBACK);
	ck_assert_uint_eq(get(MSR), 0x0b); /* DCD, DSR, CTS fell */
	ck_assert_uint_eq(get(MSR), 0x00); /* reading clears */
	set(MCR, LOOPBACK | 0x02);
	ck_assert_uint_eq(get(MSR), 0x11);
	set(MCR, LOOPBACK | 0x01);
	ck_assert_uint_eq(get(MSR), 0x23);
	set(MCR, LOOPBACK | 0x04);
	ck_assert_uint_eq(get(MSR), 0x42); /* RI rose: no delta of its own */
	set(MCR, LOOPBACK | 0x08);
	ck_assert_uint_eq(get(MSR), 0x8c); /* RI fell, DCD rose */
	set(MCR, LOOPBACK | 0x0a);
	set(MCR, LOOPBACK | 0x08);
	ck_assert_uint_eq(get(MSR), 0x81); /* there and back is a change too */
	set(MCR, LOOPBACK | 0x0a);
	set(MCR, LOOPBACK | 0x0b);
	ck_assert_uint_eq(get(MSR), 0xb3); /* one after the other adds up */
	set(MCR, 0x0f);
	set(MCR, 0x00);
	get(MSR);
	set(MCR, 0x0f); /* outside loopback the outputs lead nowhere */
	ck_assert_uint_eq(get(MSR), 0xb0);
}
END_TEST

START_TEST(overrun_without_fifo_keeps_the_new_byte)
{
	set(MCR, LOOPBACK);
	set(THR, 'a');
	set(THR, 'b');
	ck_assert_uint_eq(get(LSR), LSR_IDLE | LSR_DR | LSR_OE);
	ck_assert_uint_eq(get(LSR), LSR_IDLE | LSR_DR); /* reading clears */
	ck_assert_uint_eq(get(RBR), 'b');
	ck_assert_uint_eq(get(LSR), LSR_IDLE);
}
END_TEST

START_TEST(overrun_with_fifo_keeps_the_old_bytes)
{
	set(FCR, 0x01);
	set(MCR, LOOPBACK);
	uart_write_string(&uart_chip, THR, (const uint8_t *)"0123456789abcdef", 16);
	ck_assert_uint_eq(get(LSR), LSR_IDLE | LSR_DR);
	set(THR, 'X');
	ck_assert_uint_eq(get(LSR), LSR_IDLE | LSR_DR | LSR_OE);
	for (const char *c = "0123456789abcdef"; *c; c++)
		ck_assert_uint_eq(get(RBR), *c);
	ck_assert_uint_eq(get(LSR), LSR_IDLE);
}
END_TEST

START_TEST(reset_is_power_on)
{
	struct uart fresh;
	struct uart_env env = uart_chip.env;

	set(FCR, 0xc1);
	set(MCR, LOOPBACK);
	uart_write_string(&uart_chip, THR, (const uint8_t *)"0123456789abcdefg", 17);
	set(LCR, DLAB);
	set(DLL, 0x55);
	set(DLM, 0x55);
	set(LCR, 0x1b);
	set(MCR, OUT2);
	set(SCR, 0x55);
	set(IER, 0x0f);
	ck_assert(uart_peer.irq);

	uart_reset(&uart_chip);
	ck_assert(!uart_peer.irq);
	uart_init(&fresh, &env);
	set(LCR, DLAB);
	ck_assert_uint_eq(get(DLL), fresh.dll);
	ck_assert_uint_eq(get(DLM), fresh.dlm);
	set(LCR, 0);
	expect_power_on_state();
}
END_TEST

START_TEST(reset_of_a_quiet_uart_leaves_the_line_alone)
{
	uart_reset(&uart_chip);
	ck_assert_uint_eq(uart_peer.irq_changes, 0);
}
END_TEST

static void add_register_tests(TCase *tc)
{
	tcase_add_test(tc, registers_at_start);
	tcase_add_test(tc, divisor_latches_hide_behind_dlab);
	tcase_add_test(tc, dlab_read_does_not_eat_a_byte);
	tcase_add_test(tc, ier_has_four_bits);
	tcase_add_test(tc, lcr_reads_back_in_full);
	tcase_add_test(tc, mcr_has_five_bits);
	tcase_add_test(tc, scratch_reads_back);
	tcase_add_test(tc, lsr_and_msr_ignore_writes);
	tcase_add_test(tc, other_offsets_are_not_there);
	tcase_add_test(tc, fcr_and_lcr_are_two_registers);
	tcase_add_test(tc, msr_and_lsr_are_two_registers);
	tcase_add_test(tc, reset_is_power_on);
	tcase_add_test(tc, reset_of_a_quiet_uart_leaves_the_line_alone);
}

static void add_data_tests(TCase *tc)
{
	tcase_add_test(tc, fifo_enable_shows_in_iir);
	tcase_add_test(tc, fcr_clears_the_receiver);
	tcase_add_test(tc, changing_the_mode_clears_the_receiver);
	tcase_add_test(tc, bytes_are_sent_at_once);
	tcase_add_test(tc, bytes_keep_all_eight_bits);
	tcase_add_test(tc, string_is_sent_in_one_piece);
	tcase_add_test(tc, string_to_other_registers_is_as_many_writes);
	tcase_add_test(tc, without_fifo_one_byte_fits);
	tcase_add_test(tc, fifo_holds_sixteen_and_wraps);
	tcase_add_test(tc, overrun_without_fifo_keeps_the_new_byte);
	tcase_add_test(tc, overrun_with_fifo_keeps_the_old_bytes);
	tcase_add_test(tc, loopback_returns_bytes_and_sends_none);
	tcase_add_test(tc, loopback_cuts_off_the_input);
	tcase_add_test(tc, loopback_joins_the_modem_lines);
	tcase_add_test(tc, modem_deltas);
}

static void add_case(Suite *s, const char *name, void (*add_tests)(TCase *tc))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, uart_peer_setup, NULL);
	add_tests(tc);
	suite_add_tcase(s, tc);
}

Suite *uart_suite(void)
{
	Suite *s = suite_create("uart");

	add_case(s, "registers", add_register_tests);
	add_case(s, "data", add_data_tests);
	return s;
}
