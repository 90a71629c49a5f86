/* SPDX-License-Identifier: MIT */
/* The same machine as a flattened device tree, built with libfdt (Devicetree Specification 0.4). */
#include "vmm/fdt.h"

#include <assert.h>
#include <errno.h>
#include <libfdt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "vmm/layout.h"
#include "vmm/numa.h"

#define LOCAL_DISTANCE  10
#define REMOTE_DISTANCE 20

#define PHANDLE_IOAPIC   1
#define PHANDLE_FIRST_VP 2

/* Interrupt type of the intel,ce4100-ioapic binding. */
#define IOAPIC_EDGE_RISING 3

#define APIC_WINDOW_BYTES 0x1000
#define ISA_IO_BYTES      0x10000
#define ISA_IO_SPACE      1 /* first address cell of the ISA binding: I/O rather than memory */
#define UART_CLOCK_HZ     1843200

/* The first failure sticks, and what follows does nothing: checked once, at the end. */
struct writer {
	void *buf;
	int err;
	const struct topology *t;
};

static void begin_node(struct writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void begin_node(struct writer *w, const char *fmt, ...)
{
	char name[48];
	va_list args;

	va_start(args, fmt);
	vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	if (!w->err)
		w->err = fdt_begin_node(w->buf, name);
}

static void end_node(struct writer *w)
{
	if (!w->err)
		w->err = fdt_end_node(w->buf);
}

/* Room for size_bytes of a property, or NULL after a failure. */
static fdt32_t *open_property(struct writer *w, const char *name, size_t size_bytes)
{
	void *value = NULL;

	if (!w->err)
		w->err = fdt_property_placeholder(w->buf, name, (int)size_bytes, &value);
	return w->err ? NULL : value;
}

static void put_cells(struct writer *w, const char *name, const uint32_t *cells, size_t count)
{
	fdt32_t *value = open_property(w, name, count * sizeof(*value));

	for (size_t i = 0; value && i < count; i++)
		value[i] = cpu_to_fdt32(cells[i]);
}

#define PUT_CELLS(w, name, ...)                             \
	put_cells(w, name, (const uint32_t[]){__VA_ARGS__}, \
		  sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void put_string(struct writer *w, const char *name, const char *value)
{
	if (!w->err)
		w->err = fdt_property_string(w->buf, name, value);
}

static void put_empty(struct writer *w, const char *name)
{
	if (!w->err)
		w->err = fdt_property(w->buf, name, NULL, 0);
}

static uint32_t high(uint64_t v)
{
	return (uint32_t)(v >> 32);
}

static uint32_t low(uint64_t v)
{
	return (uint32_t)v;
}

static void write_chosen(struct writer *w, const char *bootargs)
{
	char console[48];

	snprintf(console, sizeof(console), "/soc/isa@0/serial@%x", LAYOUT_PORT_COM1);
	begin_node(w, "chosen");
	put_string(w, "bootargs", bootargs);
	put_string(w, "stdout-path", console);
	end_node(w);
}

static void write_vp(struct writer *w, uint32_t vp)
{
	const struct vp_place *p = &w->t->vp[vp];

	begin_node(w, "cpu@%x", p->apic_id);
	put_string(w, "device_type", "cpu");
	put_string(w, "compatible", "cpu-x86");
	PUT_CELLS(w, "reg", p->apic_id);
	PUT_CELLS(w, "numa-node-id", p->node);
	PUT_CELLS(w, "phandle", PHANDLE_FIRST_VP + vp);
	end_node(w);
}

/* One core of the map, whose first thread is vp. */
static void write_core(struct writer *w, uint32_t core, uint32_t vp)
{
	begin_node(w, "core%u", core);
	if (w->t->threads == 1)
		PUT_CELLS(w, "cpu", PHANDLE_FIRST_VP + vp);
	for (uint32_t i = 0; w->t->threads > 1 && i < w->t->threads; i++) {
		begin_node(w, "thread%u", i);
		PUT_CELLS(w, "cpu", PHANDLE_FIRST_VP + vp + i);
		end_node(w);
	}
	end_node(w);
}

/* The binding wants clusters between sockets and cores: one for each node's part of the socket. */
static void write_cpu_map(struct writer *w)
{
	uint32_t clusters = topology_nodes_per_socket(w->t);
	uint32_t vp = 0;

	begin_node(w, "cpu-map");
	for (uint32_t s = 0; s < w->t->sockets; s++) {
		begin_node(w, "socket%u", s);
		for (uint32_t c = 0; c < clusters; c++) {
			begin_node(w, "cluster%u", c);
			for (uint32_t k = 0; k < w->t->cores / clusters; k++) {
				write_core(w, k, vp);
				vp += w->t->threads;
			}
			end_node(w);
		}
		end_node(w);
	}
	end_node(w);
}

/* The boot VP is VP 0, the first in the tree. */
static void write_cpus(struct writer *w)
{
	begin_node(w, "cpus");
	PUT_CELLS(w, "#address-cells", 1);
	PUT_CELLS(w, "#size-cells", 0);
	for (uint32_t vp = 0; vp < w->t->vps; vp++)
		write_vp(w, vp);
	write_cpu_map(w);
	end_node(w);
}

static void write_memory(struct writer *w, const struct mem *m)
{
	struct numa_range r;
	struct numa_iter it;

	numa_iter_init(&it, m, w->t->nodes);
	while (numa_iter_next(&it, &r)) {
		begin_node(w, "memory@%llx", (unsigned long long)r.base.v);
		put_string(w, "device_type", "memory");
		PUT_CELLS(w, "reg", high(r.base.v), low(r.base.v), high(r.size_bytes),
			  low(r.size_bytes));
		PUT_CELLS(w, "numa-node-id", r.node);
		end_node(w);
	}
}

/* One direction of each pair is enough where both are alike, says the binding. */
static void write_distances(struct writer *w)
{
	size_t n = w->t->nodes, entries = n * (n + 1) / 2;
	fdt32_t *cell;

	if (n == 1)
		return;
	begin_node(w, "distance-map");
	put_string(w, "compatible", "numa-distance-map-v1");
	cell = open_property(w, "distance-matrix", entries * 3 * sizeof(*cell));
	for (uint32_t i = 0; cell && i < n; i++) {
		for (uint32_t j = i; j < n; j++) {
			*cell++ = cpu_to_fdt32(i);
			*cell++ = cpu_to_fdt32(j);
			*cell++ = cpu_to_fdt32(i == j ? LOCAL_DISTANCE : REMOTE_DISTANCE);
		}
	}
	end_node(w);
}

static void write_interrupt_controllers(struct writer *w)
{
	begin_node(w, "interrupt-controller@%llx", LAYOUT_IOAPIC);
	put_string(w, "compatible", "intel,ce4100-ioapic");
	PUT_CELLS(w, "reg", 0, low(LAYOUT_IOAPIC), 0, APIC_WINDOW_BYTES);
	put_empty(w, "interrupt-controller");
	PUT_CELLS(w, "#interrupt-cells", 2);
	PUT_CELLS(w, "#address-cells", 0);
	PUT_CELLS(w, "phandle", PHANDLE_IOAPIC);
	end_node(w);

	begin_node(w, "interrupt-controller@%llx", LAYOUT_LAPIC);
	put_string(w, "compatible", "intel,ce4100-lapic");
	PUT_CELLS(w, "reg", 0, low(LAYOUT_LAPIC), 0, APIC_WINDOW_BYTES);
	put_empty(w, "interrupt-controller");
	PUT_CELLS(w, "#interrupt-cells", 2);
	PUT_CELLS(w, "#address-cells", 0);
	put_empty(w, "intel,virtual-wire-mode");
	end_node(w);
}

/* I/O ports appear at the same numbers in the bus above, which is how Linux's x86 code wants it. */
static void write_isa(struct writer *w)
{
	begin_node(w, "isa@0");
	put_string(w, "compatible", "isa");
	PUT_CELLS(w, "#address-cells", 2);
	PUT_CELLS(w, "#size-cells", 1);
	PUT_CELLS(w, "ranges", ISA_IO_SPACE, 0, 0, 0, ISA_IO_BYTES);

	begin_node(w, "serial@%x", LAYOUT_PORT_COM1);
	put_string(w, "compatible", "ns16550a");
	PUT_CELLS(w, "reg", ISA_IO_SPACE, LAYOUT_PORT_COM1, 8);
	PUT_CELLS(w, "interrupts", LAYOUT_IRQ_COM1, IOAPIC_EDGE_RISING);
	PUT_CELLS(w, "clock-frequency", UART_CLOCK_HZ);
	end_node(w);

	begin_node(w, "rtc@%x", LAYOUT_PORT_RTC);
	put_string(w, "compatible", "motorola,mc146818");
	PUT_CELLS(w, "reg", ISA_IO_SPACE, LAYOUT_PORT_RTC, 2);
	end_node(w);

	end_node(w);
}

/* Linux on x86 looks for devices on no other bus at the root than this one, pci and isa. */
static void write_soc(struct writer *w)
{
	static const char compatible[] = "intel,ce4100-cp\0simple-bus";

	begin_node(w, "soc");
	if (!w->err)
		w->err = fdt_property(w->buf, "compatible", compatible, sizeof(compatible));
	PUT_CELLS(w, "#address-cells", 2);
	PUT_CELLS(w, "#size-cells", 2);
	put_empty(w, "ranges");
	write_interrupt_controllers(w);
	write_isa(w);
	end_node(w);
}

static int write_tree(struct writer *w, size_t size_bytes, const struct mem *m,
		      const char *bootargs)
{
	w->err = fdt_create(w->buf, (int)size_bytes);
	if (!w->err)
		w->err = fdt_finish_reservemap(w->buf);
	begin_node(w, "%s", "");
	put_string(w, "model", "vpup");
	put_string(w, "compatible", "vpup,vm");
	PUT_CELLS(w, "#address-cells", 2);
	PUT_CELLS(w, "#size-cells", 2);
	PUT_CELLS(w, "interrupt-parent", PHANDLE_IOAPIC);
	write_chosen(w, bootargs);
	write_cpus(w);
	write_memory(w, m);
	write_distances(w);
	write_soc(w);
	end_node(w);
	if (!w->err)
		w->err = fdt_finish(w->buf);
	return w->err;
}

int fdt_build(void **out, size_t *size_bytes, const struct topology *t, const struct mem *m,
	      const char *bootargs, struct err *e)
{
	struct writer w = {.t = t};
	size_t size = 4096 + (size_t)t->vps * 256; /* a first guess, doubled while too small */
	void *grown;

	do {
		grown = size <= INT_MAX ? realloc(w.buf, size) : NULL;
		if (!grown) {
			free(w.buf);
			return err_set(e, ENOMEM, "no memory for the device tree of %u VPs",
				       t->vps);
		}
		w.buf = grown;
		write_tree(&w, size, m, bootargs);
		size *= 2;
	} while (w.err == -FDT_ERR_NOSPACE);
	assert(!w.err);
	*out = w.buf;
	*size_bytes = fdt_totalsize(w.buf);
	return 0;
}
