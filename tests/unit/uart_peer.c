/* SPDX-License-Identifier: MIT */
/* The recording peer of a UART. */
#include <check.h>
#include <string.h>

#include "tests/unit/uart_peer.h"

struct uart_peer uart_peer;
struct uart uart_chip;

static void on_tx(void *ctx, const uint8_t *data, size_t size)
{
	struct uart_peer *p = ctx;

	p->tx_calls++;
	ck_assert_uint_le(p->got_size + size, sizeof(p->got));
	memcpy(p->got + p->got_size, data, size);
	p->got_size += size;
}

static void on_irq(void *ctx, bool level)
{
	struct uart_peer *p = ctx;

	ck_assert(p->irq != level);
	p->irq = level;
	p->irq_changes++;
}

void uart_peer_setup(void)
{
	struct uart_env env = {.irq = on_irq, .tx = on_tx, .ctx = &uart_peer};

	memset(&uart_peer, 0, sizeof(uart_peer));
	uart_init(&uart_chip, &env);
}
