/* SPDX-License-Identifier: MIT */
/* Which VPs share a core and which a package: CPUID's division of the APIC ID, for all VPs. */
#include "guest-kernel/topology.h"

#include "guest-kernel/console.h"
#include "guest-kernel/cpu.h"
#include "guest-kernel/kernel.h"

/* SDM 2A and APM 3, CPUID */
#define CPUID_LEVELS     0xbu
#define CPUID_LEVELS_V2  0x1fu
#define LEVELS_MAX       8
#define LEVEL_THREADS    1
#define CPUID_1_EDX_HTT  (1u << 28)
#define CPUID_EXT        0x80000000u
#define CPUID_EXT_SIZES  0x80000008u
#define CPUID_AMD_CORE   0x8000001eu
#define THREAD_BITS_MAX  6
#define PACKAGE_BITS_MAX 31

/* Index + 1 of the first VP with this core or package ID, 0: none yet. IDs are shifted APIC IDs. */
static uint16_t first_in_core[APIC_ID_LIMIT + 1];
static uint16_t first_in_package[APIC_ID_LIMIT + 1];

/* Of a node */
static struct {
	uint16_t first; /* index + 1 of its first VP */
	bool is_split;  /* it has VPs of several packages */
} nodes[VP_NODES_MAX];

/* Width of a field that counts n values. */
static uint32_t field_bits(uint32_t n)
{
	return n <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1);
}

/* Each level's shift leads to the next; the last one's to the package. */
static bool read_levels(struct topology *t, uint32_t leaf)
{
	struct cpu_cpuid r;
	uint32_t i;

	for (i = 0; i < LEVELS_MAX; i++) {
		r = cpu_cpuid_sub(leaf, i);
		if ((r.ecx >> 8 & 0xff) == 0 || (r.ebx & 0xffff) == 0)
			break;
		t->package_bits = r.eax & 0x1f;
		if ((r.ecx >> 8 & 0xff) == LEVEL_THREADS)
			t->thread_bits = t->package_bits;
	}
	return i > 0;
}

/* Where no leaf has levels: AMD's own leaves, else the number of IDs in a package. */
static void read_sizes(struct topology *t)
{
	const uint32_t max = cpu_cpuid(CPUID_EXT).eax;
	struct cpu_cpuid r = cpu_cpuid(1);

	if (r.edx & CPUID_1_EDX_HTT)
		t->package_bits = field_bits(r.ebx >> 16 & 0xff);
	if (max < CPUID_EXT || max < CPUID_AMD_CORE)
		return;
	t->thread_bits = field_bits((cpu_cpuid(CPUID_AMD_CORE).ebx >> 8 & 0xff) + 1);
	r = cpu_cpuid(CPUID_EXT_SIZES);
	if (r.ecx >> 12 & 0xf)
		t->package_bits = r.ecx >> 12 & 0xf;
}

/* The index of the first VP with this ID: that VP's own, or the one that came before. */
static uint32_t first_of(uint16_t *first, uint32_t id, uint32_t index)
{
	if (first[id] == 0)
		first[id] = (uint16_t)(index + 1);
	return first[id] - 1u;
}

/*
 * The threads of a core belong in one node; nodes divide packages, or packages nodes, but neither
 * lies across the other.
 */
static bool contradicts_nodes(const struct vp_table *t)
{
	const struct vp *vp, *end = t->vps + t->count;
	const struct vp *package, *first;

	for (vp = t->vps; vp < end; vp++) {
		if (vp->node != t->vps[vp->core].node)
			return true;
		first = &t->vps[nodes[vp->node].first - 1];
		if (first->package != vp->package)
			nodes[vp->node].is_split = true;
	}
	for (vp = t->vps; vp < end; vp++) {
		package = &t->vps[vp->package];
		if (vp->node != package->node &&
		    (nodes[vp->node].is_split || nodes[package->node].is_split))
			return true;
	}
	return false;
}

void topology_find(struct topology *t, struct vp_table *vps)
{
	const uint32_t max = cpu_cpuid(0).eax;
	struct vp *vp, *end = vps->vps + vps->count;

	if (!(max >= CPUID_LEVELS_V2 && read_levels(t, CPUID_LEVELS_V2)) &&
	    !(max >= CPUID_LEVELS && read_levels(t, CPUID_LEVELS)))
		read_sizes(t);
	if (t->thread_bits > t->package_bits || t->thread_bits > THREAD_BITS_MAX)
		t->thread_bits = 0;
	for (vp = vps->vps; vp < end; vp++) {
		vp->core = first_of(first_in_core, vp->apic_id >> t->thread_bits, vp->index);
		vp->package = first_of(first_in_package, vp->apic_id >> t->package_bits, vp->index);
		t->packages += vp->package == vp->index;
		first_of(&nodes[vp->node].first, 0, vp->index);
	}
	t->odd = contradicts_nodes(vps);
	if (t->odd)
		console_info("topology: CPUID's packages contradict the nodes of the tables");
}

void topology_for_siblings(const struct topology *t, const struct vp *vp,
			   void (*fn)(const struct vp *sibling))
{
	const uint32_t first = vp->apic_id >> t->thread_bits << t->thread_bits;
	const uint32_t last = first + (1u << t->thread_bits) - 1;
	uint32_t id, number;

	for (id = first; id <= last && id <= APIC_ID_LIMIT; id++) {
		number = vp_number_by_apic_id[id];
		if (number != 0 && id != vp->apic_id)
			fn(&kernel.vp_table.vps[number - 1]);
	}
}
