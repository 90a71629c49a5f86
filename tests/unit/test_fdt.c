/* SPDX-License-Identifier: MIT */
/* Unit tests of the device tree: libfdt must find in it the topology that it was made from. */
#include <check.h>
#include <errno.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "tests/unit/suites.h"
#include "tests/unit/vm_fixture.h"
#include "vmm/fdt.h"
#include "vmm/numa.h"

#define GIB 0x40000000ull

struct rig {
	struct topology t;
	struct mem m;
	void *fdt;
	size_t size_bytes;
};

static void rig_init(struct rig *r, struct topology_config c, uint64_t ram_bytes,
		     const char *bootargs)
{
	struct err e = {""};

	r->t = topology_of(c);
	r->m = ram_of(ram_bytes);
	ck_assert_msg(fdt_build(&r->fdt, &r->size_bytes, &r->t, &r->m, bootargs, &e) == 0, "%s",
		      e.text);
	ck_assert_int_eq(fdt_check_full(r->fdt, r->size_bytes), 0);
	ck_assert_uint_eq(fdt_totalsize(r->fdt), r->size_bytes);
}

static void rig_fini(struct rig *r)
{
	free(r->fdt);
	topology_fini(&r->t);
}

static int path(const struct rig *r, const char *name)
{
	int node = fdt_path_offset(r->fdt, name);

	ck_assert_msg(node >= 0, "no node %s", name);
	return node;
}

/* Cell i of a property of count cells. */
static uint32_t cell(const struct rig *r, int node, const char *name, int i, int count)
{
	int len;
	const fdt32_t *v = fdt_getprop(r->fdt, node, name, &len);

	ck_assert_msg(v && len == 4 * count, "%s has %d bytes", name, len);
	return fdt32_to_cpu(v[i]);
}

static void check_string(const struct rig *r, int node, const char *name, const char *want)
{
	const char *v = fdt_getprop(r->fdt, node, name, NULL);

	ck_assert_msg(v != NULL, "no %s", name);
	ck_assert_str_eq(v, want);
}

static bool has_type(const struct rig *r, int node, const char *type)
{
	const char *v = fdt_getprop(r->fdt, node, "device_type", NULL);

	return v && strcmp(v, type) == 0;
}

static const struct {
	struct topology_config shape;
	uint64_t ram_bytes;
} machines[] = {
	{{.vps = 1}, GIB / 16},
	{{.vps = 16, .nodes = 2}, GIB},
	{{.vps = 24, .sockets = 2, .cores = 6, .threads = 2, .nodes = 4}, 4 * GIB},
	{{.vps = 16, .sockets = 8, .nodes = 2}, 4 * GIB},
	{{.vps = 300, .sockets = 3, .threads = 2}, 6 * GIB},
	{{.vps = 4096, .nodes = 64}, 1024 * GIB},
};

#define MACHINES ((int)(sizeof(machines) / sizeof(machines[0])))

START_TEST(cpus_are_the_vps_in_order)
{
	uint32_t vp = 0;
	int node, cpus;
	struct rig r;

	rig_init(&r, machines[_i].shape, machines[_i].ram_bytes, "");
	cpus = path(&r, "/cpus");
	ck_assert_uint_eq(cell(&r, cpus, "#address-cells", 0, 1), 1);
	ck_assert_uint_eq(cell(&r, cpus, "#size-cells", 0, 1), 0);
	fdt_for_each_subnode(node, r.fdt, cpus)
	{
		char name[16];

		if (!has_type(&r, node, "cpu")) {
			ck_assert_str_eq(fdt_get_name(r.fdt, node, NULL), "cpu-map");
			continue;
		}
		ck_assert_uint_lt(vp, r.t.vps);
		snprintf(name, sizeof(name), "cpu@%x", r.t.vp[vp].apic_id);
		ck_assert_str_eq(fdt_get_name(r.fdt, node, NULL), name);
		ck_assert_uint_eq(cell(&r, node, "reg", 0, 1), r.t.vp[vp].apic_id);
		ck_assert_uint_eq(cell(&r, node, "numa-node-id", 0, 1), r.t.vp[vp].node);
		check_string(&r, node, "compatible", "cpu-x86");
		vp++;
	}
	ck_assert_uint_eq(vp, r.t.vps);
	rig_fini(&r);
}
END_TEST

/* The number at the end of a node's name, which must start with prefix. */
static uint32_t number(const struct rig *r, int node, const char *prefix)
{
	const char *name = fdt_get_name(r->fdt, node, NULL);

	ck_assert_msg(strncmp(name, prefix, strlen(prefix)) == 0, "%s is no %s", name, prefix);
	return (uint32_t)strtoul(name + strlen(prefix), NULL, 10);
}

static void check_map_leaf(const struct rig *r, int leaf, const struct vp_place *want)
{
	int node = fdt_node_offset_by_phandle(r->fdt, cell(r, leaf, "cpu", 0, 1));

	ck_assert_int_ge(node, 0);
	ck_assert_uint_eq(cell(r, node, "reg", 0, 1), want->apic_id);
}

/* Walks the map and the VPs side by side. */
START_TEST(map_leads_to_each_vp)
{
	uint32_t vp = 0, per_cluster;
	int socket, cluster, core, thread;
	struct rig r;

	if (machines[_i].shape.vps > 1000) /* libfdt finds phandles by walking the whole tree */
		return;
	rig_init(&r, machines[_i].shape, machines[_i].ram_bytes, "");
	per_cluster = r.t.cores / topology_nodes_per_socket(&r.t);
	fdt_for_each_subnode(socket, r.fdt, path(&r, "/cpus/cpu-map"))
		fdt_for_each_subnode(cluster, r.fdt, socket)
			fdt_for_each_subnode(core, r.fdt, cluster)
	{
		const struct vp_place *p = &r.t.vp[vp];

		ck_assert_uint_lt(vp, r.t.vps);
		ck_assert_uint_eq(number(&r, socket, "socket"), p->socket);
		ck_assert_uint_eq(number(&r, cluster, "cluster"), p->core / per_cluster);
		ck_assert_uint_eq(number(&r, core, "core"), p->core % per_cluster);
		if (r.t.threads == 1) {
			ck_assert_int_lt(fdt_first_subnode(r.fdt, core), 0);
			check_map_leaf(&r, core, &r.t.vp[vp++]);
			continue;
		}
		fdt_for_each_subnode(thread, r.fdt, core)
		{
			ck_assert_uint_eq(number(&r, thread, "thread"), r.t.vp[vp].thread);
			check_map_leaf(&r, thread, &r.t.vp[vp++]);
		}
	}
	ck_assert_uint_eq(vp, r.t.vps);
	rig_fini(&r);
}
END_TEST

START_TEST(memory_is_split_as_in_acpi)
{
	struct numa_range want;
	struct numa_iter it;
	struct rig r;
	int node;

	rig_init(&r, machines[_i].shape, machines[_i].ram_bytes, "");
	numa_iter_init(&it, &r.m, r.t.nodes);
	fdt_for_each_subnode(node, r.fdt, 0)
	{
		char name[32];

		if (!has_type(&r, node, "memory"))
			continue;
		ck_assert(numa_iter_next(&it, &want));
		snprintf(name, sizeof(name), "memory@%llx", (unsigned long long)want.base.v);
		ck_assert_str_eq(fdt_get_name(r.fdt, node, NULL), name);
		ck_assert_uint_eq(cell(&r, node, "reg", 0, 4), want.base.v >> 32);
		ck_assert_uint_eq(cell(&r, node, "reg", 1, 4), want.base.v & 0xffffffff);
		ck_assert_uint_eq(cell(&r, node, "reg", 2, 4), want.size_bytes >> 32);
		ck_assert_uint_eq(cell(&r, node, "reg", 3, 4), want.size_bytes & 0xffffffff);
		ck_assert_uint_eq(cell(&r, node, "numa-node-id", 0, 1), want.node);
	}
	ck_assert(!numa_iter_next(&it, &want));
	rig_fini(&r);
}
END_TEST

START_TEST(distances_are_there_for_several_nodes)
{
	static const uint32_t want[] = {0, 0, 10, 0, 1, 20, 0, 2, 20, 1, 1, 10, 1, 2, 20, 2, 2, 10};
	struct rig r;
	int node;

	rig_init(&r, (struct topology_config){.vps = 6, .nodes = 3}, GIB, "");
	node = path(&r, "/distance-map");
	check_string(&r, node, "compatible", "numa-distance-map-v1");
	for (int i = 0; i < 18; i++)
		ck_assert_uint_eq(cell(&r, node, "distance-matrix", i, 18), want[i]);
	rig_fini(&r);

	rig_init(&r, (struct topology_config){.vps = 6}, GIB, "");
	ck_assert_int_eq(fdt_path_offset(r.fdt, "/distance-map"), -FDT_ERR_NOTFOUND);
	rig_fini(&r);
}
END_TEST

START_TEST(devices_are_the_machines)
{
	static const char serial[] = "/soc/isa@0/serial@3f8";
	struct rig r;
	int node;

	rig_init(&r, (struct topology_config){.vps = 2}, GIB, "console=ttyS0 smp=full");
	ck_assert_uint_eq(cell(&r, 0, "#address-cells", 0, 1), 2);
	ck_assert_uint_eq(cell(&r, 0, "#size-cells", 0, 1), 2);
	node = path(&r, "/chosen");
	check_string(&r, node, "bootargs", "console=ttyS0 smp=full");
	check_string(&r, node, "stdout-path", serial);
	node = path(&r, "/soc/interrupt-controller@fec00000");
	check_string(&r, node, "compatible", "intel,ce4100-ioapic");
	ck_assert_uint_eq(cell(&r, 0, "interrupt-parent", 0, 1), fdt_get_phandle(r.fdt, node));
	node = path(&r, "/soc/interrupt-controller@fee00000");
	check_string(&r, node, "compatible", "intel,ce4100-lapic");
	node = path(&r, serial);
	check_string(&r, node, "compatible", "ns16550a");
	ck_assert_uint_eq(cell(&r, node, "reg", 1, 3), 0x3f8);
	ck_assert_uint_eq(cell(&r, node, "interrupts", 0, 2), 4);
	ck_assert_uint_eq(cell(&r, node, "interrupts", 1, 2), 3);
	node = path(&r, "/soc/isa@0/rtc@70");
	check_string(&r, node, "compatible", "motorola,mc146818");
	ck_assert_uint_eq(cell(&r, node, "reg", 2, 3), 2);
	rig_fini(&r);
}
END_TEST

/* Either part alone outgrows the first guess of the size more than once. */
START_TEST(buffer_grows_as_needed)
{
	size_t len = 100000;
	char *bootargs = malloc(len + 1);
	struct rig r;

	ck_assert_ptr_nonnull(bootargs);
	memset(bootargs, 'a', len);
	bootargs[len] = '\0';
	rig_init(&r, (struct topology_config){.vps = 1}, GIB, bootargs);
	check_string(&r, path(&r, "/chosen"), "bootargs", bootargs);
	rig_fini(&r);
	free(bootargs);

	rig_init(&r, (struct topology_config){.vps = 1024, .nodes = 1024}, 4 * GIB, "");
	ck_assert_uint_eq(cell(&r, path(&r, "/distance-map"), "distance-matrix", 3 * 524799 + 1,
			       3 * 524800),
			  1023);
	rig_fini(&r);
}
END_TEST

Suite *fdt_suite(void)
{
	Suite *s = suite_create("fdt");
	TCase *t = tcase_create("fdt");
	TCase *slow = tcase_create("machines");

	tcase_set_tags(slow, "slow");
	tcase_add_loop_test(slow, cpus_are_the_vps_in_order, 0, MACHINES);
	tcase_add_loop_test(slow, map_leads_to_each_vp, 0, MACHINES);
	tcase_add_loop_test(slow, memory_is_split_as_in_acpi, 0, MACHINES);
	suite_add_tcase(s, slow);
	tcase_add_test(t, distances_are_there_for_several_nodes);
	tcase_add_test(t, devices_are_the_machines);
	tcase_add_test(t, buffer_grows_as_needed);
	suite_add_tcase(s, t);
	return s;
}
