/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/uart.c: the interrupts, and what raises and clears each. */
#include <check.h>

#include "tests/unit/suites.h"
#include "tests/unit/uart_peer.h"

START_TEST(string_raises_the_thre_interrupt)
{
	set(MCR, OUT2);
	set(IER, 0x02);
	ck_assert_uint_eq(get(IIR), IIR_THRE);
	ck_assert(!uart_peer.irq);
	uart_write_string(&uart_chip, THR, (const uint8_t *)"hello", 5);
	ck_assert(uart_peer.irq);
}
END_TEST

START_TEST(irq_needs_out2)
{
	set(IER, 0x01);
	receive("a");
	ck_assert_uint_eq(get(IIR), IIR_RX);
	ck_assert(!uart_peer.irq);
	set(MCR, OUT2);
	ck_assert(uart_peer.irq);
	set(MCR, 0x17);
	ck_assert(!uart_peer.irq);
	set(MCR, OUT2);
	ck_assert(uart_peer.irq);
	set(MCR, OUT2 | LOOPBACK);
	ck_assert(!uart_peer.irq);
}
END_TEST

START_TEST(rx_interrupt_follows_the_data)
{
	set(MCR, OUT2);
	receive("a");
	ck_assert(!uart_peer.irq);
	ck_assert_uint_eq(get(IIR), IIR_NONE);
	set(IER, 0x01);
	ck_assert(uart_peer.irq);
	ck_assert_uint_eq(get(IIR), IIR_RX);
	ck_assert(uart_peer.irq); /* reading IIR does not clear this one */
	get(RBR);
	ck_assert(!uart_peer.irq);
	ck_assert_uint_eq(get(IIR), IIR_NONE);
	set(IER, 0x0e);
	receive("b");
	ck_assert_uint_eq(get(IIR), IIR_THRE);
	ck_assert_uint_eq(get(IIR), IIR_NONE);
}
END_TEST

START_TEST(trigger_level_divides_data_from_timeout)
{
	static const struct {
		uint8_t fcr;
		unsigned level;
	} rows[] = {{0x01, 1}, {0x41, 4}, {0x81, 8}, {0xc1, 14}};

	set(MCR, OUT2);
	set(IER, 0x01);
	for (unsigned i = 0; i < 4; i++) {
		set(FCR, rows[i].fcr | 0x02);
		ck_assert_uint_eq(get(IIR), IIR_FIFO | IIR_NONE);
		for (unsigned count = 1; count <= 16; count++) {
			receive("x");
			ck_assert(uart_peer.irq);
			ck_assert_uint_eq(get(IIR), IIR_FIFO | (count < rows[i].level ? IIR_TIMEOUT
										      : IIR_RX));
		}
		for (unsigned count = 16; count > 0; count--) {
			ck_assert(uart_peer.irq);
			ck_assert_uint_eq(get(RBR), 'x');
		}
		ck_assert(!uart_peer.irq);
	}
}
END_TEST

START_TEST(thre_interrupt_comes_with_its_enable_bit)
{
	set(MCR, OUT2);
	set(IER, 0x02);
	ck_assert(uart_peer.irq);
	ck_assert_uint_eq(get(IIR), IIR_THRE);
	ck_assert(!uart_peer.irq); /* reported, so cleared */
	ck_assert_uint_eq(get(IIR), IIR_NONE);

	set(IER, 0x02); /* was on already */
	ck_assert_uint_eq(get(IIR), IIR_NONE);
	set(IER, 0x00);
	set(IER, 0x02);
	ck_assert_uint_eq(get(IIR), IIR_THRE);
}
END_TEST

START_TEST(thre_interrupt_comes_after_each_byte)
{
	set(MCR, OUT2);
	set(IER, 0x02);
	get(IIR);
	set(THR, 'a');
	ck_assert(uart_peer.irq);
	set(THR, 'b');
	ck_assert(uart_peer.irq);
	ck_assert_uint_eq(get(IIR), IIR_THRE);
	ck_assert(!uart_peer.irq);
}
END_TEST

START_TEST(thre_survives_reads_of_iir_that_report_something_else)
{
	set(IER, 0x03);
	receive("a");
	ck_assert_uint_eq(get(IIR), IIR_RX);
	ck_assert_uint_eq(get(IIR), IIR_RX);
	get(RBR);
	ck_assert_uint_eq(get(IIR), IIR_THRE);
	ck_assert_uint_eq(get(IIR), IIR_NONE);
}
END_TEST

START_TEST(thre_survives_being_masked)
{
	set(IER, 0x02);
	set(IER, 0x00);
	ck_assert_uint_eq(get(IIR), IIR_NONE);
	set(THR, 'a');
	ck_assert_uint_eq(get(IIR), IIR_NONE);
	set(IER, 0x02);
	ck_assert_uint_eq(get(IIR), IIR_THRE);
}
END_TEST

START_TEST(modem_interrupt)
{
	set(IER, 0x08);
	set(MCR, LOOPBACK | 0x0b);
	ck_assert_uint_eq(get(MSR), 0xb0);
	set(MCR, LOOPBACK | 0x08);
	ck_assert_uint_eq(get(IIR), IIR_MODEM);
	ck_assert_uint_eq(get(IIR), IIR_MODEM);
	set(MCR, OUT2);
	ck_assert(uart_peer.irq);
	get(MSR);
	ck_assert(!uart_peer.irq);
	ck_assert_uint_eq(get(IIR), IIR_NONE);
}
END_TEST

START_TEST(interrupts_come_in_order_of_priority)
{
	set(MCR, LOOPBACK);
	set(THR, 'a');
	set(THR, 'b');  /* overrun */
	set(MCR, OUT2); /* modem lines change */
	set(IER, 0x0f);
	ck_assert_uint_eq(get(IIR), IIR_LINE);
	get(LSR);
	ck_assert_uint_eq(get(IIR), IIR_RX);
	get(RBR);
	ck_assert_uint_eq(get(IIR), IIR_THRE);
	ck_assert_uint_eq(get(IIR), IIR_MODEM);
	ck_assert(uart_peer.irq);
	get(MSR);
	ck_assert_uint_eq(get(IIR), IIR_NONE);
	ck_assert(!uart_peer.irq);
	ck_assert_uint_eq(uart_peer.irq_changes, 2);
}
END_TEST

START_TEST(timeout_ranks_above_thre)
{
	set(FCR, 0xc1);
	set(IER, 0x03);
	receive("a");
	ck_assert_uint_eq(get(IIR), IIR_FIFO | IIR_TIMEOUT);
	get(RBR);
	ck_assert_uint_eq(get(IIR), IIR_FIFO | IIR_THRE);
}
END_TEST

START_TEST(line_status_interrupt_needs_its_bit)
{
	set(MCR, LOOPBACK);
	set(THR, 'a');
	set(THR, 'b');
	set(IER, 0x0b);
	ck_assert_uint_eq(get(IIR), IIR_RX);
	set(IER, 0x04);
	ck_assert_uint_eq(get(IIR), IIR_LINE);
}
END_TEST

Suite *uart_irq_suite(void)
{
	Suite *s = suite_create("uart_irq");
	TCase *tc = tcase_create("uart_irq");

	tcase_add_checked_fixture(tc, uart_peer_setup, NULL);
	tcase_add_test(tc, string_raises_the_thre_interrupt);
	tcase_add_test(tc, irq_needs_out2);
	tcase_add_test(tc, rx_interrupt_follows_the_data);
	tcase_add_test(tc, trigger_level_divides_data_from_timeout);
	tcase_add_test(tc, thre_interrupt_comes_with_its_enable_bit);
	tcase_add_test(tc, thre_interrupt_comes_after_each_byte);
	tcase_add_test(tc, thre_survives_reads_of_iir_that_report_something_else);
	tcase_add_test(tc, thre_survives_being_masked);
	tcase_add_test(tc, modem_interrupt);
	tcase_add_test(tc, interrupts_come_in_order_of_priority);
	tcase_add_test(tc, timeout_ranks_above_thre);
	tcase_add_test(tc, line_status_interrupt_needs_its_bit);
	suite_add_tcase(s, tc);
	return s;
}
