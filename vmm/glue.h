/* SPDX-License-Identifier: MIT */
/* Glue between device cores and the machine: ports, interrupt lines, locks. */
#ifndef VPUP_VMM_GLUE_H
#define VPUP_VMM_GLUE_H

#include <stddef.h>
#include <stdint.h>

#include "devices/guest_memory.h"
#include "vmm/machine.h"

extern const struct device_ops uart_device;
extern const struct device_ops debugcon_device;
extern const struct device_ops exitport_device;
extern const struct device_ops i8042_device;
extern const struct device_ops rtc_device;
extern const struct device_ops measure_device; /* with cfg->json alone */
extern const struct device_ops power_device;
extern const struct device_ops testdev_device; /* this and fw_cfg: with cfg->testdev alone */
extern const struct device_ops fw_cfg_device;
extern const struct device_ops virtio_device;     /* as many as cfg asks for, a thread each */
extern const struct device_ops hv_testdev_device; /* and with Hyper-V */

/* How many virtio devices there are, in the first slots. */
unsigned virtio_slots(const struct vm_config *cfg);

#define VIRTIO_MODULES_MAX 8

/*
 * Linux's modules, by distributions, that drive the virtio devices of that machine, or of any (NULL).
 * Returns their number.
 */
size_t virtio_modules(const struct vm_config *cfg, const char *names[VIRTIO_MODULES_MAX]);

/* What every device's glue begins with: its machine, and the lock that callers of its core hold. */
struct glue {
	struct machine *m;
	pthread_mutex_t lock;
};

/*
 * Makes the state of a device: size_bytes of zeroes that begin with a struct glue. It is owned by
 * *state. Returns NULL with e set when out of memory.
 */
void *glue_new(size_t size_bytes, struct machine *m, void **state, struct err *e);

/* Frees it; a device_ops.fini where there is nothing else to release. */
void glue_free(void *state);

/* The machine's RAM, for a core that reads and writes it. */
struct guest_memory glue_memory(struct machine *m);

/*
 * Serves an access to a device of byte-wide registers as the ISA bus does: byte by byte, at
 * consecutive offsets.
 */
void glue_bytewise(struct io_access *a, void *dev, uint8_t (*read)(void *dev, unsigned off),
		   void (*write)(void *dev, unsigned off, uint8_t val));

/* Input for COM1. Returns how many bytes found room; 0 also once there is no UART. */
size_t uart_dev_input(struct uart_dev *d, const uint8_t *data, size_t size);

/* Makes uart_dev_space_fd() readable, so that the main thread looks again. Any thread. */
void uart_dev_wake(struct uart_dev *d);

/* Presses the ACPI power button. Any thread. */
void power_dev_press(struct power_dev *d);

/* Bytes that COM1 has room for. When 0, space_fd becomes readable once there is room again. */
size_t uart_dev_room(struct uart_dev *d);
int uart_dev_space_fd(const struct uart_dev *d);

#endif
