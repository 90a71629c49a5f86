/* SPDX-License-Identifier: MIT */
/* Power of a hardware-reduced ACPI machine (ACPI 6.3, 4.8.3.7 and 5.6.9): sleep registers, events. */
#ifndef VPUP_DEVICES_ACPI_POWER_H
#define VPUP_DEVICES_ACPI_POWER_H

#include <stdint.h>

/* Registers, a byte each. */
#define ACPI_POWER_SLEEP_CONTROL 0
#define ACPI_POWER_SLEEP_STATUS  1
#define ACPI_POWER_EVENTS        2 /* pending ACPI_EVENT_ bits; a read takes them */
#define ACPI_POWER_REGS          3

#define ACPI_EVENT_BUTTON 0x01

#define ACPI_SLEEP_TYPE_OFF 5 /* what \_S5 in the DSDT says */

struct acpi_power_env {
	void (*off)(void *ctx); /* the guest turned the machine off */
	void (*irq)(void *ctx); /* an event is pending: one edge */
	void *ctx;
};

struct acpi_power {
	struct acpi_power_env env;
	uint8_t events;
};

void acpi_power_init(struct acpi_power *p, const struct acpi_power_env *env);

/* Other registers read 0xff and ignore writes. */
uint8_t acpi_power_read(struct acpi_power *p, unsigned off);
void acpi_power_write(struct acpi_power *p, unsigned off, uint8_t val);

/* Presses the power button. Pressing it again before the guest has looked changes nothing. */
void acpi_power_press(struct acpi_power *p);

#endif
