/* SPDX-License-Identifier: MIT */
/* 16550A UART core: the register model. Bytes leave at once, so the transmitter is always empty. */
#include <linux/serial_reg.h>

#include "devices/uart.h"

/* 115200 baud. The chip leaves the latches undefined, but guests divide by what they find there. */
#define DIVISOR_AT_RESET 1

#define IER_MASK         0x0f
#define MCR_MASK         0x1f
#define IIR_FIFO_ENABLED 0xc0

static bool in_loopback(const struct uart *u)
{
	return u->mcr & UART_MCR_LOOP;
}

static bool fifo_enabled(const struct uart *u)
{
	return u->fcr & UART_FCR_ENABLE_FIFO;
}

static bool divisor_access(const struct uart *u)
{
	return u->lcr & UART_LCR_DLAB;
}

static unsigned rx_capacity(const struct uart *u)
{
	return fifo_enabled(u) ? UART_FIFO_SIZE : 1;
}

static unsigned rx_trigger(const struct uart *u)
{
	static const uint8_t level[4] = {1, 4, 8, 14};

	return fifo_enabled(u) ? level[u->fcr >> 6] : 1;
}

/* The enabled interrupt of highest priority, as IIR reports it. */
static uint8_t interrupt_id(const struct uart *u)
{
	if ((u->ier & UART_IER_RLSI) && (u->lsr & UART_LSR_BRK_ERROR_BITS))
		return UART_IIR_RLSI;
	if ((u->ier & UART_IER_RDI) && u->rx_count >= rx_trigger(u))
		return UART_IIR_RDI;
	/* No clock here: what waits below the trigger level counts as timed out. */
	if ((u->ier & UART_IER_RDI) && u->rx_count)
		return UART_IIR_RX_TIMEOUT;
	if ((u->ier & UART_IER_THRI) && u->thr_empty_pending)
		return UART_IIR_THRI;
	if ((u->ier & UART_IER_MSI) && u->msr_delta)
		return UART_IIR_MSI;
	return UART_IIR_NO_INT;
}

/* On PC boards OUT2 gates the line; in loopback the pin is high whatever MCR says, so it is cut. */
static void update_irq(struct uart *u)
{
	bool gate_open = (u->mcr & UART_MCR_OUT2) && !in_loopback(u);
	bool level = gate_open && interrupt_id(u) != UART_IIR_NO_INT;

	if (level != u->irq_level) {
		u->irq_level = level;
		u->env.irq(u->env.ctx, level);
	}
}

void uart_init(struct uart *u, const struct uart_env *env)
{
	*u = (struct uart){.env = *env, .dll = DIVISOR_AT_RESET};
}

void uart_reset(struct uart *u)
{
	struct uart_env env = u->env;
	bool was_high = u->irq_level;

	uart_init(u, &env);
	if (was_high)
		env.irq(env.ctx, false);
}

static void rx_push(struct uart *u, uint8_t byte)
{
	if (u->rx_count < rx_capacity(u)) {
		u->rx[(u->rx_head + u->rx_count) % UART_FIFO_SIZE] = byte;
		u->rx_count++;
		return;
	}

	/* A full FIFO keeps what it has; without one, the new byte replaces the old. */
	u->lsr |= UART_LSR_OE;
	if (!fifo_enabled(u))
		u->rx[u->rx_head] = byte;
}

static uint8_t rx_pop(struct uart *u)
{
	uint8_t byte;

	if (!u->rx_count)
		return 0;
	byte = u->rx[u->rx_head];
	u->rx_head = (u->rx_head + 1) % UART_FIFO_SIZE;
	u->rx_count--;
	return byte;
}

/*
 * Word length and break are not applied: a guest that trusts its firmware leaves LCR at 0, which
 * would be five bits. THR is empty again before the write returns, so the interrupt that the write
 * clears is due again at once and the line need not be seen to move.
 */
static void transmit(struct uart *u, const uint8_t *data, size_t size)
{
	if (in_loopback(u)) {
		for (size_t i = 0; i < size; i++)
			rx_push(u, data[i]);
	} else {
		u->env.tx(u->env.ctx, data, size);
	}
	u->thr_empty_pending = true;
}

/* MSR[7:4]: a peer that is always ready, or in loopback the modem control outputs. */
static uint8_t modem_inputs(const struct uart *u)
{
	uint8_t in = 0;

	if (!in_loopback(u))
		return UART_MSR_DCD | UART_MSR_DSR | UART_MSR_CTS;
	if (u->mcr & UART_MCR_RTS)
		in |= UART_MSR_CTS;
	if (u->mcr & UART_MCR_DTR)
		in |= UART_MSR_DSR;
	if (u->mcr & UART_MCR_OUT1)
		in |= UART_MSR_RI;
	if (u->mcr & UART_MCR_OUT2)
		in |= UART_MSR_DCD;
	return in;
}

static void write_ier(struct uart *u, uint8_t val)
{
	val &= IER_MASK;
	if (val & ~u->ier & UART_IER_THRI)
		u->thr_empty_pending = true;
	u->ier = val;
}

static void write_fcr(struct uart *u, uint8_t val)
{
	bool enable = val & UART_FCR_ENABLE_FIFO;

	/* Without the enable bit no other bit counts. */
	if (enable != fifo_enabled(u) || (enable && (val & UART_FCR_CLEAR_RCVR)))
		u->rx_count = 0;
	u->fcr = val;
}

static void write_mcr(struct uart *u, uint8_t val)
{
	uint8_t before = modem_inputs(u);
	uint8_t changed;

	u->mcr = val & MCR_MASK;
	changed = before ^ modem_inputs(u);
	u->msr_delta |= (changed & (UART_MSR_DCD | UART_MSR_DSR | UART_MSR_CTS)) >> 4;
	if (before & changed & UART_MSR_RI)
		u->msr_delta |= UART_MSR_TERI; /* RI tells only the end of a ring */
}

static uint8_t read_iir(struct uart *u)
{
	uint8_t id = interrupt_id(u);

	if (id == UART_IIR_THRI)
		u->thr_empty_pending = false;
	return fifo_enabled(u) ? id | IIR_FIFO_ENABLED : id;
}

static uint8_t read_lsr(struct uart *u)
{
	uint8_t val = u->lsr | UART_LSR_THRE | UART_LSR_TEMT;

	if (u->rx_count)
		val |= UART_LSR_DR;
	u->lsr = 0;
	return val;
}

static uint8_t read_msr(struct uart *u)
{
	uint8_t val = modem_inputs(u) | u->msr_delta;

	u->msr_delta = 0;
	return val;
}

static uint8_t read_register(struct uart *u, unsigned off)
{
	switch (off) {
	case UART_RX:
		return divisor_access(u) ? u->dll : rx_pop(u);
	case UART_IER:
		return divisor_access(u) ? u->dlm : u->ier;
	case UART_IIR:
		return read_iir(u);
	case UART_LCR:
		return u->lcr;
	case UART_MCR:
		return u->mcr;
	case UART_LSR:
		return read_lsr(u);
	case UART_MSR:
		return read_msr(u);
	case UART_SCR:
		return u->scr;
	default:
		return 0xff;
	}
}

uint8_t uart_read(struct uart *u, unsigned off)
{
	uint8_t val = read_register(u, off);

	update_irq(u);
	return val;
}

void uart_write(struct uart *u, unsigned off, uint8_t val)
{
	switch (off) {
	case UART_TX:
		if (divisor_access(u))
			u->dll = val;
		else
			transmit(u, &val, 1);
		break;
	case UART_IER:
		if (divisor_access(u))
			u->dlm = val;
		else
			write_ier(u, val);
		break;
	case UART_FCR:
		write_fcr(u, val);
		break;
	case UART_LCR:
		u->lcr = val;
		break;
	case UART_MCR:
		write_mcr(u, val);
		break;
	case UART_SCR:
		u->scr = val;
		break;
	default: /* LSR and MSR: written only in factory tests */
		break;
	}
	update_irq(u);
}

void uart_write_string(struct uart *u, unsigned off, const uint8_t *data, size_t size)
{
	if (off == UART_TX && !divisor_access(u)) {
		if (size)
			transmit(u, data, size);
		update_irq(u);
		return;
	}
	for (size_t i = 0; i < size; i++)
		uart_write(u, off, data[i]);
}

size_t uart_rx_room(const struct uart *u)
{
	/* In loopback the input pin is cut off; bytes wait outside rather than get lost. */
	return in_loopback(u) ? 0 : rx_capacity(u) - u->rx_count;
}

size_t uart_rx(struct uart *u, const uint8_t *data, size_t size)
{
	size_t room = uart_rx_room(u);
	size_t count = size < room ? size : room;

	for (size_t i = 0; i < count; i++)
		rx_push(u, data[i]);
	update_irq(u);
	return count;
}
