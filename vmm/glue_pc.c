/* SPDX-License-Identifier: MIT */
/* The small PC devices on their ports: debug console, exit port, keyboard controller, clock. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "devices/debugcon.h"
#include "devices/exitport.h"
#include "devices/i8042.h"
#include "devices/rtc.h"
#include "vmm/file.h"
#include "vmm/glue.h"
#include "vmm/layout.h"
#include "vmm/tsc.h"

/* Glue and the one core that it is for. */
struct pc_dev {
	struct glue glue;
	int debugcon_fd; /* 0: none */
	union {
		struct debugcon debugcon;
		struct exitport exitport;
		struct i8042 i8042;
		struct rtc rtc;
	};
};

static int pc_dev_claim(struct pc_dev *d, const char *name, uint16_t port, uint16_t ports, io_fn fn,
			io_string_fn string)
{
	struct io_range range = {
		.name = name,
		.base = port,
		.last = port + ports - 1u,
		.fn = fn,
		.string = string,
		.dev = d,
	};

	return bus_claim(&d->glue.m->pio, &range);
}

/* Debug console: its bytes are the guest's trace, or go to a file. */

static void debugcon_tx(void *ctx, const uint8_t *data, size_t size)
{
	struct pc_dev *d = ctx;
	struct machine *m = d->glue.m;

	if (!m->guest_is_linux) {
		frame_reader_push(&m->frames, data, size);
		return;
	}
	/* The helper of --exec: it is ready, and when all is done this is the kernel's log. */
	machine_klog(m, &m->kmsg_line, data, size, 0);
	if (!atomic_exchange(&m->input_ready, true)) {
		m->record->init_tsc = tsc_now();
		uart_dev_wake(m->com1);
	}
}

/* Its reader may be slow, and the guest waits for it. */
static void debugcon_tx_file(void *ctx, const uint8_t *data, size_t size)
{
	struct pc_dev *d = ctx;
	int ret = file_write_all(d->debugcon_fd, data, size);

	if (ret)
		outcome_set(&d->glue.m->outcome, OUTCOME_HOST_ERROR, 0, "can't write %s: %s",
			    d->glue.m->cfg->debugcon, strerror(-ret));
}

static const void *debugcon_gpa_ptr(void *ctx, uint64_t addr, uint64_t size)
{
	struct pc_dev *d = ctx;

	return mem_ptr(&d->glue.m->mem, gpa(addr), size);
}

static enum io_status debugcon_access(void *dev, struct io_access *a)
{
	struct pc_dev *d = dev;

	pthread_mutex_lock(&d->glue.lock);
	if (a->is_write)
		debugcon_write(&d->debugcon, (uint32_t)a->val, a->size);
	else
		a->val = debugcon_read(&d->debugcon, a->size);
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

static void debugcon_string(void *dev, const uint8_t *data, uint32_t count, uint8_t size)
{
	struct pc_dev *d = dev;

	pthread_mutex_lock(&d->glue.lock);
	debugcon_write_string(&d->debugcon, data, (size_t)count * size);
	pthread_mutex_unlock(&d->glue.lock);
}

static int debugcon_dev_init(struct machine *m, void **state, struct err *e)
{
	struct pc_dev *d = glue_new(sizeof(*d), m, state, e);
	struct debugcon_env env = {.tx = debugcon_tx, .gpa_ptr = debugcon_gpa_ptr, .ctx = d};

	if (!d)
		return -ENOMEM;
	if (m->cfg->debugcon) {
		d->debugcon_fd =
			open(m->cfg->debugcon, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (d->debugcon_fd < 0)
			return err_set(e, errno, "can't write %s: %s", m->cfg->debugcon,
				       strerror(errno));
		env.tx = debugcon_tx_file;
	}
	debugcon_init(&d->debugcon, &env);
	return pc_dev_claim(d, "debug console", LAYOUT_PORT_DEBUGCON, 1, debugcon_access,
			    debugcon_string);
}

static void debugcon_dev_fini(void *state)
{
	struct pc_dev *d = state;

	if (d && d->debugcon_fd > 0)
		close(d->debugcon_fd);
	glue_free(state);
}

const struct device_ops debugcon_device = {"debug console", debugcon_dev_init, debugcon_dev_fini};

/* Exit port. */

static void exitport_exit(void *ctx, uint32_t code)
{
	struct pc_dev *d = ctx;

	outcome_set(&d->glue.m->outcome, OUTCOME_EXIT, code, NULL);
}

static enum io_status exitport_access(void *dev, struct io_access *a)
{
	struct pc_dev *d = dev;

	if (a->is_write)
		exitport_write(&d->exitport, (uint32_t)a->val, a->size);
	else
		a->val = exitport_read(&d->exitport, a->size);
	return IO_OK;
}

static int exitport_dev_init(struct machine *m, void **state, struct err *e)
{
	struct pc_dev *d = glue_new(sizeof(*d), m, state, e);
	struct exitport_env env = {.exit = exitport_exit, .ctx = d};

	if (!d)
		return -ENOMEM;
	exitport_init(&d->exitport, &env);
	return pc_dev_claim(d, "exit port", LAYOUT_PORT_EXIT, 1, exitport_access, NULL);
}

const struct device_ops exitport_device = {"exit port", exitport_dev_init, glue_free};

/* Keyboard controller. */

static void i8042_reset_line(void *ctx)
{
	struct pc_dev *d = ctx;

	outcome_set(&d->glue.m->outcome, OUTCOME_RESET, 0, NULL);
}

static uint8_t i8042_read_port(void *dev, unsigned off)
{
	struct pc_dev *d = dev;

	return off ? i8042_read_status(&d->i8042) : i8042_read_data(&d->i8042);
}

static void i8042_write_port(void *dev, unsigned off, uint8_t val)
{
	struct pc_dev *d = dev;

	if (off)
		i8042_write_command(&d->i8042, val);
	else
		i8042_write_data(&d->i8042, val);
}

/* Ports 0x60 and 0x64 are ranges of their own: what lies between is not the controller's. */
static enum io_status i8042_access(void *dev, struct io_access *a)
{
	struct pc_dev *d = dev;

	if (a->size != 1)
		return IO_UNCLAIMED;
	a->off = a->addr == LAYOUT_PORT_I8042_CMD;
	pthread_mutex_lock(&d->glue.lock);
	glue_bytewise(a, d, i8042_read_port, i8042_write_port);
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

static int i8042_dev_init(struct machine *m, void **state, struct err *e)
{
	struct pc_dev *d = glue_new(sizeof(*d), m, state, e);
	struct i8042_env env = {.reset = i8042_reset_line, .ctx = d};
	int ret;

	if (!d)
		return -ENOMEM;
	i8042_init(&d->i8042, &env);
	ret = pc_dev_claim(d, "i8042 data", LAYOUT_PORT_I8042_DAT, 1, i8042_access, NULL);
	if (ret)
		return ret;
	return pc_dev_claim(d, "i8042 command", LAYOUT_PORT_I8042_CMD, 1, i8042_access, NULL);
}

const struct device_ops i8042_device = {"i8042", i8042_dev_init, glue_free};

/* Real-time clock. */

static int64_t rtc_now(void *ctx)
{
	(void)ctx;
	return time(NULL);
}

static uint8_t rtc_read_port(void *dev, unsigned off)
{
	struct pc_dev *d = dev;

	return rtc_read(&d->rtc, off);
}

static void rtc_write_port(void *dev, unsigned off, uint8_t val)
{
	struct pc_dev *d = dev;

	rtc_write(&d->rtc, off, val);
}

static enum io_status rtc_access(void *dev, struct io_access *a)
{
	struct pc_dev *d = dev;

	pthread_mutex_lock(&d->glue.lock);
	glue_bytewise(a, d, rtc_read_port, rtc_write_port);
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

static int rtc_dev_init(struct machine *m, void **state, struct err *e)
{
	struct pc_dev *d = glue_new(sizeof(*d), m, state, e);
	struct rtc_env env = {.now_s = rtc_now, .ctx = d};

	if (!d)
		return -ENOMEM;
	rtc_init(&d->rtc, &env);
	return pc_dev_claim(d, "RTC", LAYOUT_PORT_RTC, 2, rtc_access, NULL);
}

const struct device_ops rtc_device = {"RTC", rtc_dev_init, glue_free};
