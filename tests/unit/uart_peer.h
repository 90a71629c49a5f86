/* SPDX-License-Identifier: MIT */
/* A UART with a recording peer, for the tests of devices/uart.c. */
#ifndef VPUP_TESTS_UNIT_UART_PEER_H
#define VPUP_TESTS_UNIT_UART_PEER_H

#include <string.h>

#include "devices/uart.h"

#define RBR 0
#define THR 0
#define DLL 0
#define IER 1
#define DLM 1
#define IIR 2
#define FCR 2
#define LCR 3
#define MCR 4
#define LSR 5
#define MSR 6
#define SCR 7

#define DLAB     0x80
#define OUT2     0x08
#define LOOPBACK 0x10

#define LSR_DR   0x01
#define LSR_OE   0x02
#define LSR_IDLE 0x60 /* THRE and TEMT */

#define IIR_NONE    0x01
#define IIR_MODEM   0x00
#define IIR_THRE    0x02
#define IIR_RX      0x04
#define IIR_LINE    0x06
#define IIR_TIMEOUT 0x0c
#define IIR_FIFO    0xc0

struct uart_peer {
	uint8_t got[64];
	size_t got_size;
	unsigned tx_calls;
	bool irq;
	unsigned irq_changes;
};

extern struct uart_peer uart_peer;
extern struct uart uart_chip;

/* A checked fixture: a fresh UART and a peer that has seen nothing. */
void uart_peer_setup(void);

static inline uint8_t get(unsigned off)
{
	return uart_read(&uart_chip, off);
}

static inline void set(unsigned off, uint8_t val)
{
	uart_write(&uart_chip, off, val);
}

/* Lets the UART receive text; returns how many bytes it took. */
static inline size_t receive(const char *text)
{
	return uart_rx(&uart_chip, (const uint8_t *)text, strlen(text));
}

#endif
