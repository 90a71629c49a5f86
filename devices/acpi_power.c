/* SPDX-License-Identifier: MIT */
/* Power of a hardware-reduced ACPI machine: the sleep registers, and the power button as an event. */
#include "devices/acpi_power.h"

#define SLEEP_ENABLE     0x20 /* SLEEP_CONTROL_REG: go */
#define SLEEP_TYPE_SHIFT 2
#define SLEEP_TYPE_MASK  0x7

void acpi_power_init(struct acpi_power *p, const struct acpi_power_env *env)
{
	*p = (struct acpi_power){.env = *env};
}

uint8_t acpi_power_read(struct acpi_power *p, unsigned off)
{
	uint8_t events = p->events;

	switch (off) {
	case ACPI_POWER_SLEEP_CONTROL:
	case ACPI_POWER_SLEEP_STATUS: /* it never woke up */
		return 0;
	case ACPI_POWER_EVENTS:
		p->events = 0;
		return events;
	}
	return 0xff;
}

void acpi_power_write(struct acpi_power *p, unsigned off, uint8_t val)
{
	if (off == ACPI_POWER_SLEEP_CONTROL && val & SLEEP_ENABLE &&
	    (val >> SLEEP_TYPE_SHIFT & SLEEP_TYPE_MASK) == ACPI_SLEEP_TYPE_OFF)
		p->env.off(p->env.ctx);
}

void acpi_power_press(struct acpi_power *p)
{
	if (p->events & ACPI_EVENT_BUTTON)
		return;
	p->events |= ACPI_EVENT_BUTTON;
	p->env.irq(p->env.ctx);
}
