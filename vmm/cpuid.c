/* SPDX-License-Identifier: MIT */
/* The CPUID leaves of each VP: the host's, less what a guest here can't have, plus its topology. */
#include "vmm/cpuid.h"

#include <asm/kvm_para.h>
#include <errno.h>
#include <string.h>

#define BIT(n) (1u << (n))

#define LEAF_TOPOLOGY     0xbu  /* extended topology enumeration */
#define LEAF_TOPOLOGY_V2  0x1fu /* the same with more level types */
#define LEAF_SVM          0x8000000au
#define LEAF_AMD_TOPOLOGY 0x8000001eu

/* SDM 2A, CPUID; APM 3, appendix E. */
#define L1_ECX_VMX          BIT(5)
#define L1_ECX_X2APIC       BIT(21)
#define L1_ECX_TSC_DEADLINE BIT(24)
#define FAMILY_ZEN          0x17
#define MODEL_ZEN1_LAST     0x1f
#define FAMILY_HYGON        0x18
#define L3_APIC_ID_BITS     3 /* of the VPs of a core complex */
#define L1_ECX_HYPERVISOR   BIT(31)
#define L1_EDX_HTT          BIT(28)
#define L6_EAX_ARAT         BIT(2)
#define X1_ECX_CMP_LEGACY   BIT(1)
#define X1_ECX_SVM          BIT(2)
#define X1_ECX_TOPOEXT      BIT(22)
#define X7_EDX_INVTSC       BIT(8)

enum reg { EAX, EBX, ECX, EDX };

/* Leaves that are not passed on: they read as zero, unless they are made anew below. */
static const struct {
	uint32_t first;
	uint32_t last;
} dropped[] = {
	{0x5, 0x5},                             /* MONITOR */
	{0xa, 0xa},                             /* PMU: a measured guest has none */
	{LEAF_TOPOLOGY, LEAF_TOPOLOGY},         /* the host's, or zero */
	{0x12, 0x12},                           /* SGX */
	{LEAF_TOPOLOGY_V2, LEAF_TOPOLOGY_V2},   /* likewise */
	{0x23, 0x23},                           /* PMU */
	{0x40000000, 0x4fffffff},               /* KVM's paravirtual interface */
	{LEAF_AMD_TOPOLOGY, LEAF_AMD_TOPOLOGY}, /* made anew */
	{0x8000001f, 0x8000001f},               /* encrypted memory */
	{0x80000022, 0x80000022},               /* PMU */
	{0x80000026, 0x80000026},               /* host topology that would win over 0xb */
};

/* Bits that are the same for every guest, whatever the host says. */
static const struct {
	uint32_t function;
	uint32_t index;
	enum reg reg;
	uint32_t clear;
	uint32_t set;
} fixed[] = {
	/* DTES64, MONITOR, PDCM */
	{0x1, 0, ECX, BIT(2) | BIT(3) | BIT(15), L1_ECX_X2APIC | L1_ECX_HYPERVISOR},
	{0x1, 0, EDX, BIT(21), 0}, /* DS */
	{0x6, 0, EAX, ~0u, L6_EAX_ARAT},
	{0x6, 0, ECX, ~0u, 0},                        /* APERFMPERF, EPB */
	{0x7, 0, EBX, BIT(2), 0},                     /* SGX */
	{0x7, 0, ECX, BIT(5) | BIT(16) | BIT(30), 0}, /* WAITPKG, LA57, SGX_LC */
	{0x7, 1, EAX, BIT(8), 0},                     /* ArchPerfmonExt */
	{0x80000001, 0, ECX, BIT(23) | BIT(29), 0},   /* PerfCtrExtCore, MWAITX */
};

/* What decides how an entry is changed. */
struct tailoring {
	const struct topology *t;
	const struct cpuid_config *c;
	bool amd;     /* AMD or Hygon */
	bool topoext; /* AMD with leaves up to 0x8000001e */
	bool v2;      /* leaf 0x1f is in range */
	bool hides_l3;
};

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t *reg_ptr(struct kvm_cpuid_entry2 *e, enum reg reg)
{
	uint32_t *const regs[] = {&e->eax, &e->ebx, &e->ecx, &e->edx};

	return regs[reg];
}

static bool is_indexed(const struct kvm_cpuid_entry2 *e)
{
	return e->flags & KVM_CPUID_FLAG_SIGNIFCANT_INDEX;
}

static const struct kvm_cpuid_entry2 *find(const struct cpuid_set *set, uint32_t function,
					   uint32_t index)
{
	for (uint32_t i = 0; i < set->nent; i++) {
		const struct kvm_cpuid_entry2 *e = &set->entry[i];

		if (e->function == function && (!is_indexed(e) || e->index == index))
			return e;
	}
	return NULL;
}

struct kvm_cpuid_entry2 *cpuid_find(struct cpuid_set *set, uint32_t function, uint32_t index)
{
	return (struct kvm_cpuid_entry2 *)find(set, function, index);
}

bool cpuid_shows_invtsc(const struct cpuid_set *set)
{
	for (uint32_t i = 0; i < set->nent; i++)
		if (set->entry[i].function == 0x80000007)
			return set->entry[i].edx & X7_EDX_INVTSC;
	return false;
}

bool cpuid_can_nest(const struct cpuid_set *host)
{
	const struct kvm_cpuid_entry2 *intel = find(host, 0x1, 0), *amd = find(host, 0x80000001, 0);

	return (intel && intel->ecx & L1_ECX_VMX) || (amd && amd->ecx & X1_ECX_SVM);
}

static bool is_dropped(uint32_t function, const struct cpuid_config *c)
{
	if (function == LEAF_SVM)
		return !c->nested;
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
		if (function >= dropped[i].first && function <= dropped[i].last)
			return true;
	}
	return false;
}

static uint32_t vps_per_socket(const struct topology *t)
{
	return t->cores * t->threads;
}

static uint32_t socket_bits(const struct topology *t)
{
	return t->core_bits + t->thread_bits;
}

/*
 * How many low bits of the APIC ID may differ between VPs that share a cache of that level: those
 * of a core, or those of a socket. A last-level cache must not reach into another node, or Linux
 * distrusts the topology; so in a divided socket it covers the largest aligned part of a node.
 */
static uint32_t cache_bits(const struct topology *t, uint32_t level)
{
	uint32_t nodes = topology_nodes_per_socket(t);

	if (level <= 2)
		return t->thread_bits;
	if (nodes == 1)
		return socket_bits(t);
	return t->thread_bits + (uint32_t)__builtin_ctz(t->cores / nodes);
}

/* Leaves 4 and 0x8000001d agree but for EAX[31:26], the socket's core IDs, which AMD reserves. */
static void tailor_cache(struct kvm_cpuid_entry2 *e, const struct topology *t, bool core_ids)
{
	uint32_t type = e->eax & 0x1f, level = e->eax >> 5 & 0x7;
	uint32_t sharing = BIT(cache_bits(t, level)) - 1;

	e->flags |= KVM_CPUID_FLAG_SIGNIFCANT_INDEX;
	if (type == 0) /* no more caches */
		return;
	e->eax &= 0x3fff;
	e->eax |= min_u32(sharing, 0xfff) << 14;
	if (core_ids)
		e->eax |= min_u32(BIT(t->core_bits) - 1, 0x3f) << 26;
}

/*
 * EBX[23:16]: AMD counts VPs, others the IDs set aside for them, a power of two where cores or
 * threads are not. EBX[31:24] is the VP's own.
 */
static void tailor_features(struct kvm_cpuid_entry2 *e, const struct tailoring *by)
{
	uint32_t count = vps_per_socket(by->t);

	e->edx = count > 1 ? e->edx | L1_EDX_HTT : e->edx & ~L1_EDX_HTT;
	if (!by->amd)
		count = BIT(socket_bits(by->t));
	e->ebx = (e->ebx & 0xffff) | min_u32(count, 255) << 16;
	e->ecx &= ~L1_ECX_TSC_DEADLINE;
	if (!by->c->nested)
		e->ecx &= ~L1_ECX_VMX;
	if (by->c->tsc_deadline)
		e->ecx |= L1_ECX_TSC_DEADLINE;
}

static void tailor_extended(struct kvm_cpuid_entry2 *e, const struct tailoring *by)
{
	e->ecx &= ~(X1_ECX_CMP_LEGACY | X1_ECX_TOPOEXT);
	if (!by->c->nested)
		e->ecx &= ~X1_ECX_SVM;
	if (by->amd && vps_per_socket(by->t) > 1)
		e->ecx |= X1_ECX_CMP_LEGACY;
	if (by->topoext)
		e->ecx |= X1_ECX_TOPOEXT;
}

/* AMD: ECX[7:0] VPs per socket - 1, ECX[15:12] width of their IDs. */
static void tailor_sizes(struct kvm_cpuid_entry2 *e, const struct tailoring *by)
{
	if (!by->amd)
		return;
	e->ecx &= ~0xf0ffu;
	e->ecx |= min_u32(vps_per_socket(by->t) - 1, 0xff);
	e->ecx |= min_u32(socket_bits(by->t), 0xf) << 12;
}

/*
 * Linux takes APIC ID[:3] of these for the VPs that share an L3, whatever leaf 0x8000001d says (arch/x86/kernel/cpu/cacheinfo.c):
 * of small nodes it would find several in one, and complain. Without an L3 in this older leaf it does not look.
 */
static bool l3_is_by_apic_id(const struct cpuid_set *host)
{
	for (uint32_t i = 0; i < host->nent; i++) {
		uint32_t eax = host->entry[i].eax;
		uint32_t family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
		uint32_t model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);

		if (host->entry[i].function == 1)
			return (family == FAMILY_ZEN && model <= MODEL_ZEN1_LAST) ||
			       family == FAMILY_HYGON;
	}
	return false;
}

static bool hides_l3(const struct cpuid_set *host, const struct topology *t)
{
	return l3_is_by_apic_id(host) && (t->sockets > 1 || t->nodes > 1) &&
	       cache_bits(t, 3) < L3_APIC_ID_BITS;
}

static void tailor(struct kvm_cpuid_entry2 *e, const struct tailoring *by)
{
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (e->function == fixed[i].function && e->index == fixed[i].index) {
			uint32_t *r = reg_ptr(e, fixed[i].reg);

			*r = (*r & ~fixed[i].clear) | fixed[i].set;
		}
	}
	switch (e->function) {
	case 0x0:
		if (e->eax < LEAF_TOPOLOGY)
			e->eax = LEAF_TOPOLOGY;
		break;
	case 0x1:
		tailor_features(e, by);
		break;
	case 0x4:
		tailor_cache(e, by->t, true);
		break;
	case 0x80000001:
		tailor_extended(e, by);
		break;
	case 0x80000007:
		if (by->c->force_invtsc)
			e->edx |= X7_EDX_INVTSC;
		else if (!by->c->invtsc)
			e->edx &= ~X7_EDX_INVTSC;
		break;
	case 0x80000008:
		tailor_sizes(e, by);
		break;
	case 0x80000006:
		if (by->hides_l3)
			e->edx = 0;
		break;
	case 0x8000001d:
		tailor_cache(e, by->t, false);
		break;
	}
}

static int push(struct cpuid_set *set, const struct kvm_cpuid_entry2 *entry, struct err *e)
{
	if (set->nent == CPUID_MAX_ENTRIES)
		return err_set(e, E2BIG, "more than %d CPUID leaves", CPUID_MAX_ENTRIES);
	set->entry[set->nent++] = *entry;
	return 0;
}

/* Threads of a core, cores of a socket, and the level of type 0 that ends the list. */
static int push_levels(struct cpuid_set *set, uint32_t function, const struct topology *t,
		       struct err *e)
{
	const struct kvm_cpuid_entry2 level[] = {
		{.index = 0, .eax = t->thread_bits, .ebx = t->threads, .ecx = 1 << 8 | 0},
		{.index = 1, .eax = socket_bits(t), .ebx = vps_per_socket(t), .ecx = 2 << 8 | 1},
		{.index = 2, .ecx = 2},
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(level) / sizeof(level[0]) && !ret; i++) {
		struct kvm_cpuid_entry2 entry = level[i];

		entry.function = function;
		entry.flags = KVM_CPUID_FLAG_SIGNIFCANT_INDEX;
		ret = push(set, &entry, e);
	}
	return ret;
}

static int push_topology(struct cpuid_set *set, const struct tailoring *by, struct err *e)
{
	const struct kvm_cpuid_entry2 amd = {.function = LEAF_AMD_TOPOLOGY};
	int ret = push_levels(set, LEAF_TOPOLOGY, by->t, e);

	if (!ret && by->v2)
		ret = push_levels(set, LEAF_TOPOLOGY_V2, by->t, e);
	if (!ret && by->topoext)
		ret = push(set, &amd, e);
	return ret;
}

static uint32_t max_leaf(const struct cpuid_set *set, uint32_t base)
{
	const struct kvm_cpuid_entry2 *e = find(set, base, 0);

	return e ? e->eax : 0;
}

/* EBX, EDX and ECX of leaf 0 hold the name, in this order. */
static bool is_amd(const struct cpuid_set *set)
{
	const struct kvm_cpuid_entry2 *e = find(set, 0, 0);
	char vendor[12];

	if (!e)
		return false;
	memcpy(vendor, &e->ebx, 4);
	memcpy(vendor + 4, &e->edx, 4);
	memcpy(vendor + 8, &e->ecx, 4);
	return memcmp(vendor, "AuthenticAMD", sizeof(vendor)) == 0 ||
	       memcmp(vendor, "HygonGenuine", sizeof(vendor)) == 0;
}

size_t cpuid_kvm_leaves(const struct cpuid_set *host, struct kvm_cpuid_entry2 *out, size_t room)
{
	size_t n = 0;

	for (uint32_t i = 0; i < host->nent && i < CPUID_MAX_ENTRIES && n < room; i++)
		if (host->entry[i].function == KVM_CPUID_SIGNATURE ||
		    host->entry[i].function == KVM_CPUID_FEATURES)
			out[n++] = host->entry[i];
	return n;
}

int cpuid_template(struct cpuid_set *out, const struct cpuid_set *host, const struct topology *t,
		   const struct cpuid_config *c, struct err *e)
{
	struct tailoring by = {.t = t, .c = c};
	int ret = 0;

	out->nent = 0;
	out->padding = 0;
	if (host->nent > CPUID_MAX_ENTRIES)
		return err_set(e, E2BIG, "more than %d CPUID leaves", CPUID_MAX_ENTRIES);
	by.amd = is_amd(host);
	by.hides_l3 = by.amd && hides_l3(host, t);
	by.topoext = by.amd && max_leaf(host, 0x80000000) >= LEAF_AMD_TOPOLOGY;
	by.v2 = max_leaf(host, 0) >= LEAF_TOPOLOGY_V2;
	for (uint32_t i = 0; i < host->nent && !ret; i++) {
		struct kvm_cpuid_entry2 entry = host->entry[i];

		if (is_dropped(entry.function, c))
			continue;
		tailor(&entry, &by);
		ret = push(out, &entry, e);
	}
	if (!ret)
		ret = push_topology(out, &by, e);
	for (size_t i = 0; i < c->hypervisor_count && !ret; i++)
		ret = push(out, &c->hypervisor[i], e);
	return ret;
}

/*
 * EBX: core ID, threads per core - 1. ECX: node ID, nodes per socket - 1. A node here is a part of
 * the package and so never spans two, whatever SRAT says.
 */
static void set_amd_topology(struct kvm_cpuid_entry2 *e, const struct topology *t,
			     const struct vp_place *p)
{
	uint32_t per_socket = topology_nodes_per_socket(t);
	uint32_t node = per_socket > 1 ? p->node : p->socket;

	e->eax = p->apic_id;
	e->ebx = (p->core & 0xff) | min_u32(t->threads - 1, 0xff) << 8;
	e->ecx = (node & 0xff) | min_u32(per_socket - 1, 0x7) << 8;
}

void cpuid_for_vp(struct cpuid_set *set, const struct topology *t, uint32_t vp)
{
	const struct vp_place *p = &t->vp[vp];

	for (uint32_t i = 0; i < set->nent; i++) {
		struct kvm_cpuid_entry2 *e = &set->entry[i];

		switch (e->function) {
		case 0x1:
			e->ebx = (e->ebx & 0x00ffffff) | p->apic_id << 24;
			break;
		case LEAF_TOPOLOGY:
		case LEAF_TOPOLOGY_V2:
			e->edx = p->apic_id;
			break;
		case LEAF_AMD_TOPOLOGY:
			set_amd_topology(e, t, p);
			break;
		}
	}
}
