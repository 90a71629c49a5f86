/* SPDX-License-Identifier: MIT */
/* What x86 test kernels expect of a PC, with --testdev. */
#include <errno.h>

#include "devices/pc_testdev.h"
#include "vmm/glue.h"
#include "vmm/layout.h"

/* Where a PC's firmware leaves the PICs, which kernels in real mode count on. */
#define BIOS_PIC_MASTER_VECTOR 0x08
#define BIOS_PIC_SLAVE_VECTOR  0x70

/* Test device. */

struct testdev {
	struct glue glue;
	struct pc_testdev core;
};

static void set_line(void *ctx, unsigned line, bool level)
{
	struct testdev *d = ctx;
	struct err e;

	if (kvm_set_irq(&d->glue.m->kvm, line, level, &e))
		outcome_set(&d->glue.m->outcome, OUTCOME_HOST_ERROR, 0, "test device: %s", e.text);
}

static uint8_t read_latch(void *dev, unsigned off)
{
	struct testdev *d = dev;

	return pc_testdev_latch_read(&d->core, off);
}

static void write_latch(void *dev, unsigned off, uint8_t val)
{
	struct testdev *d = dev;

	pc_testdev_latch_write(&d->core, off, val);
}

static uint8_t read_memory(void *dev, unsigned off)
{
	struct testdev *d = dev;

	return pc_testdev_memory_read(&d->core, off);
}

static void write_memory(void *dev, unsigned off, uint8_t val)
{
	struct testdev *d = dev;

	pc_testdev_memory_write(&d->core, off, val);
}

/* Every range of the latch shows it from its first byte on, at a multiple of its size. */
static enum io_status latch_access(void *dev, struct io_access *a)
{
	struct testdev *d = dev;

	a->off = a->addr % PC_TESTDEV_LATCH_BYTES;
	pthread_mutex_lock(&d->glue.lock);
	glue_bytewise(a, d, read_latch, write_latch);
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

static enum io_status memory_access(void *dev, struct io_access *a)
{
	struct testdev *d = dev;

	pthread_mutex_lock(&d->glue.lock);
	glue_bytewise(a, d, read_memory, write_memory);
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

/* The page that is written here may leave the host's page tables, or not: guests can't tell. */
static enum io_status flush_access(void *dev, struct io_access *a)
{
	(void)dev;
	return a->is_write ? IO_OK : IO_UNCLAIMED;
}

/* One line for each port, driven by the whole value whatever its size: high unless it is 0. */
static enum io_status irq_access(void *dev, struct io_access *a)
{
	struct testdev *d = dev;

	if (!a->is_write)
		return IO_UNCLAIMED;
	pthread_mutex_lock(&d->glue.lock);
	pc_testdev_set_line(&d->core, (unsigned)a->off, a->val << (64 - 8 * a->size));
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

static int claim_ports(struct testdev *d)
{
	const struct io_range ranges[] = {
		{"test latch", LAYOUT_PORT_TESTDEV, LAYOUT_PORT_TESTDEV + 3, latch_access, NULL, d},
		{"test flush", LAYOUT_PORT_TESTDEV + 4, LAYOUT_PORT_TESTDEV + 7, flush_access, NULL,
		 d},
		/* once more, with the debug console in its middle */
		{"test latch 2", LAYOUT_PORT_TESTDEV + 8, LAYOUT_PORT_TESTDEV + 8, latch_access,
		 NULL, d},
		{"test latch 2", LAYOUT_PORT_TESTDEV + 10, LAYOUT_PORT_TESTDEV + 11, latch_access,
		 NULL, d},
		{"test IRQ lines", LAYOUT_PORT_TESTDEV_IRQ,
		 LAYOUT_PORT_TESTDEV_IRQ + PC_TESTDEV_IRQ_LINES - 1, irq_access, NULL, d},
	};
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < sizeof(ranges) / sizeof(ranges[0]); i++)
		ret = bus_claim(&d->glue.m->pio, &ranges[i]);
	return ret;
}

static int testdev_init(struct machine *m, void **state, struct err *e)
{
	struct testdev *d;
	int ret;

	if (!m->cfg->testdev)
		return 0;
	d = glue_new(sizeof(*d), m, state, e);
	if (!d)
		return -ENOMEM;
	pc_testdev_init(&d->core, &(struct pc_testdev_env){.irq = set_line, .ctx = d});
	ret = kvm_set_pic_vectors(&m->kvm, BIOS_PIC_MASTER_VECTOR, BIOS_PIC_SLAVE_VECTOR, e);
	if (ret == 0)
		ret = claim_ports(d);
	if (ret)
		return ret;
	return bus_claim(&m->mmio,
			 &(struct io_range){
				 .name = "test memory",
				 .base = LAYOUT_TESTDEV_MEMORY,
				 .last = LAYOUT_TESTDEV_MEMORY + PC_TESTDEV_MEMORY_BYTES - 1,
				 .fn = memory_access,
				 .dev = d,
			 });
}

const struct device_ops testdev_device = {"test device", testdev_init, glue_free};
