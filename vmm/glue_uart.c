/* SPDX-License-Identifier: MIT */
/* COM1: the UART core on ports 0x3f8-0x3ff and IRQ 4, with the console behind it. */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "devices/uart.h"
#include "vmm/glue.h"
#include "vmm/layout.h"
#include "vmm/tsc.h"

struct uart_dev {
	struct glue glue; /* its lock is over what follows; the console's is taken inside it */
	struct uart core;
	bool starved; /* the input side found no room and waits for space_fd */
	int space_fd;
};

static void uart_dev_irq(void *ctx, bool level)
{
	struct uart_dev *d = ctx;
	struct err e;

	if (kvm_set_irq(&d->glue.m->kvm, LAYOUT_IRQ_COM1, level, &e))
		outcome_set(&d->glue.m->outcome, OUTCOME_HOST_ERROR, 0, "COM1: %s", e.text);
}

static void uart_dev_tx(void *ctx, const uint8_t *data, size_t size)
{
	struct uart_dev *d = ctx;
	struct machine *m = d->glue.m;

	if (m->guest_is_linux)
		machine_klog(m, &m->console_line, data, size, tsc_now());
	console_write(&m->console, data, size);
}

static uint8_t read_register(void *dev, unsigned off)
{
	struct uart_dev *d = dev;

	return uart_read(&d->core, off);
}

static void write_register(void *dev, unsigned off, uint8_t val)
{
	struct uart_dev *d = dev;

	uart_write(&d->core, off, val);
}

static void wake_input(struct uart_dev *d)
{
	if (!d->starved || !uart_rx_room(&d->core))
		return;
	d->starved = false;
	eventfd_write(d->space_fd, 1);
}

static enum io_status uart_dev_access(void *dev, struct io_access *a)
{
	struct uart_dev *d = dev;

	pthread_mutex_lock(&d->glue.lock);
	glue_bytewise(a, d, read_register, write_register);
	wake_input(d);
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

static void uart_dev_string(void *dev, const uint8_t *data, uint32_t count, uint8_t size)
{
	struct uart_dev *d = dev;

	pthread_mutex_lock(&d->glue.lock);
	uart_write_string(&d->core, 0, data, (size_t)count * size);
	pthread_mutex_unlock(&d->glue.lock);
}

size_t uart_dev_input(struct uart_dev *d, const uint8_t *data, size_t size)
{
	size_t taken;

	pthread_mutex_lock(&d->glue.lock);
	taken = uart_rx(&d->core, data, size);
	pthread_mutex_unlock(&d->glue.lock);
	return taken;
}

size_t uart_dev_room(struct uart_dev *d)
{
	size_t room;

	pthread_mutex_lock(&d->glue.lock);
	room = uart_rx_room(&d->core);
	d->starved = room == 0;
	pthread_mutex_unlock(&d->glue.lock);
	return room;
}

void uart_dev_wake(struct uart_dev *d)
{
	eventfd_write(d->space_fd, 1);
}

int uart_dev_space_fd(const struct uart_dev *d)
{
	return d->space_fd;
}

static void uart_dev_fini(void *state)
{
	struct uart_dev *d = state;

	if (d && d->space_fd >= 0)
		close(d->space_fd);
	glue_free(d);
}

static int uart_dev_init(struct machine *m, void **state, struct err *e)
{
	struct uart_dev *d = glue_new(sizeof(*d), m, state, e);
	struct uart_env env = {.irq = uart_dev_irq, .tx = uart_dev_tx, .ctx = d};
	struct io_range range = {
		.name = "COM1",
		.base = LAYOUT_PORT_COM1,
		.last = LAYOUT_PORT_COM1 + UART_REGS - 1,
		.fn = uart_dev_access,
		.string = uart_dev_string,
		.dev = d,
	};

	if (!d)
		return -ENOMEM;
	d->space_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->space_fd < 0)
		return err_set(e, errno, "can't create an eventfd: %s", strerror(errno));
	uart_init(&d->core, &env);
	m->com1 = d;
	return bus_claim(&m->pio, &range);
}

const struct device_ops uart_device = {"COM1", uart_dev_init, uart_dev_fini};
