/* SPDX-License-Identifier: MIT */
/* VPs and their nodes from a flattened device tree (Devicetree Specification 0.4, 3.8 and 5). */
#include "guest-kernel/fdt.h"

#include "guest-kernel/console.h"
#include "guest-kernel/string.h"

/* Header fields, big-endian words */
#define FDT_MAGIC              0xd00dfeedu
#define FDT_HEADER_SIZE        40
#define FDT_OFF_TOTAL_SIZE     4
#define FDT_OFF_STRUCT         8
#define FDT_OFF_STRINGS        12
#define FDT_OFF_LAST_COMPAT    24
#define FDT_OFF_STRINGS_SIZE   32
#define FDT_OFF_STRUCT_SIZE    36
#define FDT_VERSION_UNDERSTOOD 17

#define FDT_BEGIN_NODE 1
#define FDT_END_NODE   2
#define FDT_PROP       3
#define FDT_NOP        4

/* Depth of a node: / is 1, /cpus 2, its children 3. */
#define DEPTH_CPUS 2
#define DEPTH_CPU  3

/* What is known of the child of /cpus that is being read. */
struct cpu_node {
	bool is_cpu;
	bool has_reg;
	bool has_node;
	bool disabled;
	uint32_t reg;
	uint32_t node;
};

struct fdt_walk {
	const struct fdt *fdt;
	uint32_t off; /* into the structure block; always a multiple of 4 */
	uint32_t depth;
	bool in_cpus;
	struct cpu_node cpu;
};

static uint32_t load_be32(const void *p)
{
	return __builtin_bswap32(load_u32(p));
}

/* [off, off + size) lies within total. */
static bool fits(uint32_t off, uint32_t size, uint32_t total)
{
	return off <= total && size <= total - off;
}

static bool read_header(struct fdt *out, const uint8_t *p, uint64_t available)
{
	uint32_t total, structure, strings;

	if (available < FDT_HEADER_SIZE || load_be32(p) != FDT_MAGIC)
		return false;
	total = load_be32(p + FDT_OFF_TOTAL_SIZE);
	structure = load_be32(p + FDT_OFF_STRUCT);
	strings = load_be32(p + FDT_OFF_STRINGS);
	out->structure_size = load_be32(p + FDT_OFF_STRUCT_SIZE);
	out->strings_size = load_be32(p + FDT_OFF_STRINGS_SIZE);
	if (total > available || load_be32(p + FDT_OFF_LAST_COMPAT) > FDT_VERSION_UNDERSTOOD ||
	    !fits(structure, out->structure_size, total) ||
	    !fits(strings, out->strings_size, total))
		return false;
	out->structure = p + structure;
	out->strings = (const char *)p + strings;
	/* A last string without its NUL would be read past the end. */
	return out->strings_size > 0 && out->strings[out->strings_size - 1] == '\0';
}

bool fdt_find(struct fdt *out, const struct pvh_boot *boot)
{
	uint32_t i;

	for (i = 0; i < boot->module_count; i++) {
		const struct range *m = &boot->taken.range[i];

		if (read_header(out, (const uint8_t *)m->start, m->end - m->start))
			return true;
	}
	return false;
}

/* A property of a child of /cpus. Most are of no interest, and their first letter says so. */
static void cpu_property(struct cpu_node *cpu, const char *name, const uint8_t *val, uint32_t size)
{
	if (name[0] == 'r' && string_equal(name, "reg")) {
		/* #size-cells is 0 here, so this is one address, whose low word is the last. */
		cpu->has_reg = size >= 4;
		cpu->reg = size >= 4 ? load_be32(val + (size & ~3u) - 4) : 0;
	} else if (name[0] == 'n' && string_equal(name, "numa-node-id")) {
		cpu->has_node = size == 4;
		cpu->node = size == 4 ? load_be32(val) : 0;
	} else if (name[0] == 'd' && string_equal(name, "device_type")) {
		cpu->is_cpu = size == sizeof("cpu") && load_u32(val) == load_u32("cpu");
	} else if (name[0] == 's' && string_equal(name, "status")) {
		cpu->disabled = size < 2 || val[0] != 'o' || val[1] != 'k'; /* "ok" or "okay" */
	}
}

/* Each of these reads one token, past its tag. They return false where the tree is malformed. */

static bool read_property(struct fdt_walk *w)
{
	const struct fdt *f = w->fdt;
	uint32_t size, name;

	if (!fits(w->off, 8, f->structure_size))
		return false;
	size = load_be32(f->structure + w->off);
	name = load_be32(f->structure + w->off + 4);
	w->off += 8;
	if (!fits(w->off, size, f->structure_size) || name >= f->strings_size)
		return false;
	if (w->in_cpus && w->depth == DEPTH_CPU)
		cpu_property(&w->cpu, f->strings + name, f->structure + w->off, size);
	w->off += (size + 3) & ~3u;
	return w->off <= f->structure_size;
}

static bool begin_node(struct fdt_walk *w)
{
	const struct fdt *f = w->fdt;
	const char *name = (const char *)f->structure + w->off;
	uint32_t size = 0;

	while (w->off + size < f->structure_size && name[size] != '\0')
		size++;
	if (w->off + size >= f->structure_size)
		return false;
	w->off += (size + 4) & ~3u; /* the name, its NUL, up to a multiple of 4 */
	w->depth++;
	if (w->depth == DEPTH_CPUS)
		w->in_cpus = string_equal(name, "cpus");
	if (w->depth == DEPTH_CPU)
		w->cpu = (struct cpu_node){.is_cpu = false};
	return w->off <= f->structure_size;
}

static bool end_node(struct fdt_walk *w, struct vp_table *vps)
{
	const struct cpu_node *cpu = &w->cpu;

	if (w->depth == 0)
		return false;
	if (w->in_cpus && w->depth == DEPTH_CPU && cpu->is_cpu && cpu->has_reg && !cpu->disabled) {
		vp_table_add(vps, cpu->reg);
		if (cpu->has_node)
			vp_table_set_proximity(vps, cpu->reg, cpu->node);
	}
	w->depth--;
	return true;
}

void fdt_read_vps(const struct fdt *f, struct vp_table *vps)
{
	struct fdt_walk w = {.fdt = f};
	bool ok = true;

	do {
		uint32_t tag;

		if (!fits(w.off, 4, f->structure_size)) {
			ok = false;
			break;
		}
		tag = load_be32(f->structure + w.off);
		w.off += 4;
		if (tag == FDT_BEGIN_NODE)
			ok = begin_node(&w);
		else if (tag == FDT_END_NODE)
			ok = end_node(&w, vps);
		else if (tag == FDT_PROP)
			ok = read_property(&w);
		else
			ok = tag == FDT_NOP;
	} while (ok && w.depth > 0);
	if (!ok)
		console_info("FDT: malformed before offset %u, rest ignored", w.off);
}
