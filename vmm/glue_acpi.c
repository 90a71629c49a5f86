/* SPDX-License-Identifier: MIT */
/* ACPI's power registers on their ports, with their interrupt. */
#include <errno.h>

#include "devices/acpi_power.h"
#include "vmm/glue.h"
#include "vmm/layout.h"

struct power_dev {
	struct glue glue; /* its lock is over what follows */
	struct acpi_power core;
};

static void power_off(void *ctx)
{
	struct power_dev *d = ctx;

	outcome_set(&d->glue.m->outcome, OUTCOME_OFF, 0, NULL);
}

static void power_irq(void *ctx)
{
	struct power_dev *d = ctx;
	struct kvm *k = &d->glue.m->kvm;
	struct err e;

	if (kvm_set_irq(k, LAYOUT_IRQ_ACPI, true, &e) || kvm_set_irq(k, LAYOUT_IRQ_ACPI, false, &e))
		outcome_set(&d->glue.m->outcome, OUTCOME_HOST_ERROR, 0, "ACPI: %s", e.text);
}

static uint8_t power_read_port(void *dev, unsigned off)
{
	struct power_dev *d = dev;

	return acpi_power_read(&d->core, off);
}

static void power_write_port(void *dev, unsigned off, uint8_t val)
{
	struct power_dev *d = dev;

	acpi_power_write(&d->core, off, val);
}

static enum io_status power_access(void *dev, struct io_access *a)
{
	struct power_dev *d = dev;

	pthread_mutex_lock(&d->glue.lock);
	glue_bytewise(a, d, power_read_port, power_write_port);
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

void power_dev_press(struct power_dev *d)
{
	pthread_mutex_lock(&d->glue.lock);
	acpi_power_press(&d->core);
	pthread_mutex_unlock(&d->glue.lock);
}

static int power_dev_init(struct machine *m, void **state, struct err *e)
{
	struct power_dev *d = glue_new(sizeof(*d), m, state, e);
	struct acpi_power_env env = {.off = power_off, .irq = power_irq, .ctx = d};
	struct io_range range = {
		.name = "ACPI power",
		.base = LAYOUT_PORT_ACPI,
		.last = LAYOUT_PORT_ACPI + ACPI_POWER_REGS - 1,
		.fn = power_access,
		.dev = d,
	};

	if (!d)
		return -ENOMEM;
	acpi_power_init(&d->core, &env);
	m->power = d;
	return bus_claim(&m->pio, &range);
}

const struct device_ops power_device = {"ACPI power", power_dev_init, glue_free};
