/* SPDX-License-Identifier: MIT */
/* 16550A UART core (National Semiconductor PC16550D): registers, FIFOs, interrupts; knows no bus. */
#ifndef VPUP_DEVICES_UART_H
#define VPUP_DEVICES_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UART_FIFO_SIZE 16
#define UART_REGS      8

struct uart_env {
	void (*irq)(void *ctx, bool level);                      /* interrupt line changed */
	void (*tx)(void *ctx, const uint8_t *data, size_t size); /* bytes sent, in order */
	void *ctx;
};

struct uart {
	struct uart_env env;
	uint8_t ier, lcr, mcr, scr, fcr, dll, dlm, lsr, msr_delta;
	bool thr_empty_pending; /* THRE interrupt not yet seen by a read of IIR */
	bool irq_level;
	uint8_t rx[UART_FIFO_SIZE];
	unsigned rx_head, rx_count;
};

void uart_init(struct uart *u, const struct uart_env *env);

/* Back to power-on state; env stays. Lowers the interrupt line. */
void uart_reset(struct uart *u);

/* Registers 0-7. Others read 0xff and ignore writes. */
uint8_t uart_read(struct uart *u, unsigned off);
void uart_write(struct uart *u, unsigned off, uint8_t val);

/* A string write to one register; to the transmitter it is sent as one piece. */
void uart_write_string(struct uart *u, unsigned off, const uint8_t *data, size_t size);

/* Feeds received bytes; returns how many found room. Call again when uart_rx_room() is not 0. */
size_t uart_rx(struct uart *u, const uint8_t *data, size_t size);
size_t uart_rx_room(const struct uart *u);

#endif
