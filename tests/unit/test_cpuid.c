/* SPDX-License-Identifier: MIT */
/* Unit tests of the VPs' CPUID, on two made-up hosts: one like AMD's CPUs, one like Intel's. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "tests/unit/suites.h"
#include "tests/unit/vm_fixture.h"
#include "vmm/cpuid.h"

#define INDEXED  KVM_CPUID_FLAG_SIGNIFCANT_INDEX
#define BIT(n)   (1u << (n))
#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

#define LEAF(fn, a, b, c, d)                                           \
	{                                                              \
		.function = fn, .eax = a, .ebx = b, .ecx = c, .edx = d \
	}
#define SUBLEAF(fn, i, a, b, c, d)                                                          \
	{                                                                                   \
		.function = fn, .index = i, .flags = INDEXED, .eax = a, .ebx = b, .ecx = c, \
		.edx = d                                                                    \
	}

/* What both hosts say alike; every bit of the feature words is on, so that clearing shows. */
static const struct kvm_cpuid_entry2 common[] = {
	LEAF(0x1, 0xa10f11, 0x37aa0800, ~(BIT(31) | BIT(21)), ~0u),
	LEAF(0x5, 64, 64, 3, 0),
	LEAF(0x6, 0x77, 0, 9, 0),
	SUBLEAF(0x7, 0, 1, ~0u, ~0u, ~0u),
	SUBLEAF(0x7, 1, ~0u, 0, 0, 0),
	LEAF(0xa, 0x07300404, 0, 0, 0x603),
	SUBLEAF(0xd, 0, 7, 0x340, 0x340, 0),
	SUBLEAF(0xd, 1, 1, 0, 0, 0),
	SUBLEAF(0x12, 0, 3, 0, 0, 0),
	SUBLEAF(0x23, 0, 0x2f, 0, 0, 0),
	LEAF(0x40000000, 0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d),
	LEAF(0x40000001, 0x1007afb, 0, 0, 0),
	LEAF(0x40000100, 0x40000101, 0, 0, 0),
	LEAF(0x80000007, 0, 0, 0, 0x100),
};

/* As KVM on such a CPU reports it: leaf 0xb is there and zero. */
static const struct kvm_cpuid_entry2 amd[] = {
	SUBLEAF(0xb, 0, 0, 0, 0, 0),
	LEAF(0x80000000, 0x80000026, 0, 0, 0),
	LEAF(0x80000001, 0, 0, ~0u, 0x2fd3fbff),
	LEAF(0x80000008, 0x3030, 0x1000, 0x00037001, 0),
	LEAF(0x8000000a, 1, 0x8000, 0, 0xffff),
	LEAF(0x8000001e, 5, 0x101, 0, 0),
	LEAF(0x8000001f, 0x1f, 0, 0, 0),
	LEAF(0x80000022, 1, 0, 0, 0),
	SUBLEAF(0x80000026, 0, 1, 2, 0x100, 5),
};

/* Leaves 0xb and 0x1f hold the host's own topology. */
static const struct kvm_cpuid_entry2 intel[] = {
	SUBLEAF(0xb, 0, 1, 2, 0x100, 0x77),         SUBLEAF(0xb, 1, 5, 16, 0x201, 0x77),
	SUBLEAF(0x1f, 0, 1, 2, 0x100, 0x77),        LEAF(0x80000000, 0x80000008, 0, 0, 0),
	LEAF(0x80000001, 0, 0, 0x121 | BIT(22), 0), LEAF(0x80000008, 0x302e, 0, 0, 0),
};

static void add(struct cpuid_set *s, const struct kvm_cpuid_entry2 *entry, size_t count)
{
	ck_assert_uint_le(s->nent + count, CPUID_MAX_ENTRIES);
	memcpy(s->entry + s->nent, entry, count * sizeof(*entry));
	s->nent += (uint32_t)count;
}

static struct cpuid_set host_of(uint32_t max_leaf, const char *vendor)
{
	struct kvm_cpuid_entry2 leaf0 = {.function = 0, .eax = max_leaf};
	struct cpuid_set s = {0};

	memcpy(&leaf0.ebx, vendor, 4);
	memcpy(&leaf0.edx, vendor + 4, 4);
	memcpy(&leaf0.ecx, vendor + 8, 4);
	add(&s, &leaf0, 1);
	add(&s, common, COUNT(common));
	return s;
}

/* L1 data, L1 instruction, L2 and L3, and the end of the list. */
static void add_caches(struct cpuid_set *s, uint32_t function)
{
	static const uint32_t eax[] = {0x1c004121, 0x1c004122, 0x1c004143, 0x1c03c163, 0};

	for (uint32_t i = 0; i < COUNT(eax); i++) {
		const struct kvm_cpuid_entry2 e = SUBLEAF(function, i, eax[i], 0x01c0003f, 63, 0);

		add(s, &e, 1);
	}
}

static struct cpuid_set amd_host(void)
{
	struct cpuid_set s = host_of(0x1c, "AuthenticAMD");

	add(&s, amd, COUNT(amd));
	add_caches(&s, 0x8000001d);
	return s;
}

static struct cpuid_set intel_host(uint32_t max_leaf)
{
	struct cpuid_set s = host_of(max_leaf, "GenuineIntel");

	add(&s, intel, COUNT(intel));
	add_caches(&s, 4);
	return s;
}

static const struct kvm_cpuid_entry2 *get(struct cpuid_set *s, uint32_t function, uint32_t index)
{
	const struct kvm_cpuid_entry2 *e = cpuid_find(s, function, index);

	ck_assert_msg(e != NULL, "no leaf %#x.%u", function, index);
	return e;
}

/* The template of a topology without Hyper-V leaves. */
static struct cpuid_set make(const struct cpuid_set *host, const struct topology *t)
{
	const struct cpuid_config c = {.tsc_deadline = true, .invtsc = true};
	struct cpuid_set out;
	struct err e = {""};

	ck_assert_msg(cpuid_template(&out, host, t, &c, &e) == 0, "%s", e.text);
	return out;
}

/* Zen 1, whose L3 Linux finds by APIC ID[:3]; Zen 2, where it does not; nodes of 4 and of 8 VPs. */
static const struct {
	uint32_t signature;
	uint32_t vps;
	bool has_l3;
} l3_cases[] = {
	{0x00800f12, 16, false},
	{0x00800f12, 32, true},
	{0x00830f10, 16, true},
};

START_TEST(hides_an_l3_that_would_reach_into_another_node)
{
	struct topology t =
		topology_of((struct topology_config){.vps = l3_cases[_i].vps, .nodes = 4});
	const struct kvm_cpuid_entry2 l3 = LEAF(0x80000006, 0, 0, 0x02006140, 0x00409040);
	struct cpuid_set from = amd_host(), out;

	add(&from, &l3, 1);
	cpuid_find(&from, 1, 0)->eax = l3_cases[_i].signature;
	out = make(&from, &t);
	ck_assert_uint_eq(get(&out, 0x80000006, 0)->edx, l3_cases[_i].has_l3 ? l3.edx : 0);
	ck_assert_uint_eq(get(&out, 0x80000006, 0)->ecx, l3.ecx);
	topology_fini(&t);
}
END_TEST

START_TEST(finds_what_is_kvm_s_own)
{
	const struct cpuid_set host = amd_host();
	struct kvm_cpuid_entry2 leaf[4];

	ck_assert_uint_eq(cpuid_kvm_leaves(&host, leaf, 4), 2);
	ck_assert_uint_eq(leaf[1].function, 0x40000001);
	ck_assert_uint_eq(leaf[1].eax, 0x1007afb);
	ck_assert_uint_eq(cpuid_kvm_leaves(&host, leaf, 1), 1);
	ck_assert_uint_eq(leaf[0].function, 0x40000000);
	ck_assert_uint_eq(leaf[0].ebx, 0x4b4d564b);
	ck_assert_uint_eq(cpuid_kvm_leaves(&host, leaf, 0), 0);
}
END_TEST

START_TEST(replaces_the_hypervisor_leaves)
{
	const struct kvm_cpuid_entry2 hv[] = {
		{.function = 0x40000000, .eax = 0x40000005, .ebx = 0x7263694d},
		{.function = 0x40000001, .eax = 0x31237648},
	};
	const struct cpuid_config with = {.hypervisor = hv, .hypervisor_count = 2};
	const struct cpuid_config without = {.hypervisor = NULL};
	struct topology t = topology_of((struct topology_config){.vps = 2});
	struct cpuid_set host = amd_host(), out;

	ck_assert_int_eq(cpuid_template(&out, &host, &t, &with, NULL), 0);
	ck_assert_uint_eq(get(&out, 0x40000000, 0)->ebx, 0x7263694d);
	ck_assert_uint_eq(get(&out, 0x40000001, 0)->eax, 0x31237648);
	ck_assert_ptr_null(cpuid_find(&out, 0x40000100, 0));
	ck_assert_int_eq(cpuid_template(&out, &host, &t, &without, NULL), 0);
	ck_assert_ptr_null(cpuid_find(&out, 0x40000000, 0));
	ck_assert_ptr_null(cpuid_find(&out, 0x40000001, 0));
	ck_assert_uint_eq(get(&out, 1, 0)->ecx >> 31, 1);
	topology_fini(&t);
}
END_TEST

START_TEST(takes_away_what_a_guest_cannot_have)
{
	static const uint32_t gone[] = {0x5,        0xa,        0x12,       0x23,
					0x8000000a, 0x8000001f, 0x80000022, 0x80000026};
	struct topology t = topology_of((struct topology_config){.vps = 4});
	struct cpuid_set host = amd_host(), out = make(&host, &t);
	const struct kvm_cpuid_entry2 *e = get(&out, 1, 0);

	for (size_t i = 0; i < COUNT(gone); i++)
		ck_assert_ptr_null(cpuid_find(&out, gone[i], 0));
	ck_assert_uint_eq(e->ecx, ~(BIT(2) | BIT(3) | BIT(5) | BIT(15)));
	ck_assert_uint_eq(e->edx, ~BIT(21));
	ck_assert_uint_eq(e->eax, 0xa10f11);
	e = get(&out, 6, 0);
	ck_assert_uint_eq(e->eax, 4);
	ck_assert_uint_eq(e->ecx, 0);
	e = get(&out, 7, 0);
	ck_assert_uint_eq(e->ebx, ~BIT(2));
	ck_assert_uint_eq(e->ecx, ~(BIT(5) | BIT(16) | BIT(30)));
	ck_assert_uint_eq(e->edx, ~0u);
	ck_assert_uint_eq(get(&out, 7, 1)->eax, ~BIT(8));
	ck_assert_uint_eq(get(&out, 0x80000001, 0)->ecx, ~(BIT(2) | BIT(23) | BIT(29)));
	ck_assert_uint_eq(get(&out, 0xd, 0)->ebx, 0x340);
	ck_assert_uint_eq(get(&out, 0xd, 1)->eax, 1);
	topology_fini(&t);
}
END_TEST

START_TEST(offers_timers_as_configured)
{
	struct topology t = topology_of((struct topology_config){.vps = 1});
	struct cpuid_config c = {.tsc_deadline = _i & 1, .invtsc = _i & 2};
	struct cpuid_set host = _i & 4 ? amd_host() : intel_host(0x1f), out;

	cpuid_find(&host, 0x80000007, 0)->edx = _i & 8 ? 0x100 : 0;
	ck_assert_int_eq(cpuid_template(&out, &host, &t, &c, NULL), 0);
	ck_assert_uint_eq(get(&out, 1, 0)->ecx >> 24 & 1, c.tsc_deadline);
	ck_assert_uint_eq(get(&out, 0x80000007, 0)->edx, c.invtsc && _i & 8 ? 0x100 : 0);
	ck_assert_int_eq(cpuid_shows_invtsc(&out), c.invtsc && _i & 8);
	c.force_invtsc = true;
	ck_assert_int_eq(cpuid_template(&out, &host, &t, &c, NULL), 0);
	ck_assert(cpuid_shows_invtsc(&out));
	topology_fini(&t);
}
END_TEST

/* Intel's VMX, AMD's SVM with its leaf: where the host has them and they are asked for. */
START_TEST(nests_as_configured)
{
	struct topology t = topology_of((struct topology_config){.vps = 1});
	struct cpuid_config c = {.nested = _i & 1};
	struct cpuid_set host = _i & 2 ? amd_host() : intel_host(0x1f), out;

	ck_assert(cpuid_can_nest(&host));
	ck_assert_int_eq(cpuid_template(&out, &host, &t, &c, NULL), 0);
	ck_assert_uint_eq(get(&out, 1, 0)->ecx >> 5 & 1, c.nested);
	if (_i & 2) {
		ck_assert_uint_eq(get(&out, 0x80000001, 0)->ecx >> 2 & 1, c.nested);
		ck_assert_int_eq(cpuid_find(&out, 0x8000000a, 0) != NULL, c.nested);
		cpuid_find(&host, 0x80000001, 0)->ecx = 0;
	}
	cpuid_find(&host, 1, 0)->ecx = 0;
	ck_assert(!cpuid_can_nest(&host));
	topology_fini(&t);
}
END_TEST

static void check_levels(struct cpuid_set *s, uint32_t function, const struct topology *t,
			 uint32_t apic_id)
{
	const struct kvm_cpuid_entry2 want[] = {
		{.eax = t->thread_bits, .ebx = t->threads, .ecx = 0x100},
		{.eax = t->thread_bits + t->core_bits, .ebx = t->threads * t->cores, .ecx = 0x201},
		{.ecx = 2},
	};

	for (uint32_t i = 0; i < 3; i++) {
		const struct kvm_cpuid_entry2 *e = get(s, function, i);

		ck_assert_uint_eq(e->flags, INDEXED);
		ck_assert_uint_eq(e->index, i);
		ck_assert_uint_eq(e->eax, want[i].eax);
		ck_assert_uint_eq(e->ebx, want[i].ebx);
		ck_assert_uint_eq(e->ecx, want[i].ecx);
		ck_assert_uint_eq(e->edx, apic_id);
	}
	ck_assert_ptr_null(cpuid_find(s, function, 3));
}

START_TEST(lists_the_levels_on_any_host)
{
	struct topology t = topology_of(
		(struct topology_config){.vps = 300, .sockets = 5, .cores = 20, .threads = 3});
	struct cpuid_set hosts[] = {amd_host(), intel_host(0x16), intel_host(0x1f)};

	for (size_t h = 0; h < 3; h++) {
		struct cpuid_set out = make(&hosts[h], &t);

		for (uint32_t vp = 0; vp < t.vps; vp += 23) {
			cpuid_for_vp(&out, &t, vp);
			check_levels(&out, 0xb, &t, t.vp[vp].apic_id);
			if (h == 2)
				check_levels(&out, 0x1f, &t, t.vp[vp].apic_id);
			else
				ck_assert_ptr_null(cpuid_find(&out, 0x1f, 0));
		}
	}
	topology_fini(&t);
}
END_TEST

START_TEST(raises_the_highest_leaf_to_the_levels)
{
	struct topology t = topology_of((struct topology_config){.vps = 2});
	struct cpuid_set old = intel_host(0xa), recent = intel_host(0x16), empty = {0}, out;

	out = make(&old, &t);
	ck_assert_uint_eq(get(&out, 0, 0)->eax, 0xb);
	out = make(&recent, &t);
	ck_assert_uint_eq(get(&out, 0, 0)->eax, 0x16);
	out = make(&empty, &t);
	ck_assert_uint_eq(out.nent, 3); /* no vendor and no leaf, but the levels */
	topology_fini(&t);
}
END_TEST

static const struct {
	struct topology_config shape;
	uint32_t amd_count, intel_count;
	bool htt;
} counts[] = {
	{{.vps = 1}, 1, 1, false},
	{{.vps = 4, .sockets = 4}, 1, 1, false},
	{{.vps = 2}, 2, 2, true},
	{{.vps = 2, .threads = 2}, 2, 2, true},
	{{.vps = 6, .sockets = 2}, 3, 4, true},
	{{.vps = 15, .cores = 5, .threads = 3}, 15, 32, true},
	{{.vps = 255}, 255, 255, true},
	{{.vps = 1024}, 255, 255, true},
};

START_TEST(counts_the_vps_of_a_socket)
{
	struct topology t = topology_of(counts[_i].shape);
	struct cpuid_set hosts[] = {amd_host(), intel_host(0x1f)};

	for (size_t h = 0; h < 2; h++) {
		struct cpuid_set out = make(&hosts[h], &t);
		const struct kvm_cpuid_entry2 *e;
		uint32_t last = t.vps - 1;

		cpuid_for_vp(&out, &t, last);
		e = get(&out, 1, 0);
		ck_assert_uint_eq(e->ebx >> 24, t.vp[last].apic_id & 0xff);
		ck_assert_uint_eq(e->ebx >> 16 & 0xff,
				  h ? counts[_i].intel_count : counts[_i].amd_count);
		ck_assert_uint_eq(e->ebx & 0xffff, 0x0800);
		ck_assert_uint_eq(e->edx >> 28 & 1, counts[_i].htt);
		e = get(&out, 0x80000001, 0);
		ck_assert_uint_eq(e->ecx >> 1 & 1, !h && counts[_i].htt);
	}
	topology_fini(&t);
}
END_TEST

static const struct {
	struct topology_config shape;
	uint32_t l1_sharing, l3_sharing, core_ids; /* each less 1 */
} caches[] = {
	{{.vps = 1}, 0, 0, 0},
	{{.vps = 16, .threads = 2}, 1, 15, 7},
	{{.vps = 12, .sockets = 2, .threads = 2}, 1, 7, 3},
	{{.vps = 16, .sockets = 1, .nodes = 2, .threads = 2}, 1, 7, 7},
	{{.vps = 12, .sockets = 1, .nodes = 2}, 0, 1, 15}, /* of 6 cores, 2 stay aligned */
	{{.vps = 4096}, 0, 0xfff, 63},
	{{.vps = 4095, .cores = 1365, .threads = 3}, 3, 0xfff, 63}, /* 8192 IDs */
};

START_TEST(shares_caches_by_the_guests_topology)
{
	struct topology t = topology_of(caches[_i].shape);
	struct cpuid_set hosts[] = {amd_host(), intel_host(0x1f)};

	for (size_t h = 0; h < 2; h++) {
		uint32_t leaf = h ? 4 : 0x8000001d;
		struct cpuid_set out = make(&hosts[h], &t);

		for (uint32_t i = 0; i < 4; i++) {
			const struct kvm_cpuid_entry2 *e = get(&out, leaf, i);
			const struct kvm_cpuid_entry2 *was = get(&hosts[h], leaf, i);

			ck_assert_uint_eq(e->eax & 0x3fff, was->eax & 0x3fff);
			ck_assert_uint_eq(e->eax >> 14 & 0xfff,
					  i < 3 ? caches[_i].l1_sharing : caches[_i].l3_sharing);
			ck_assert_uint_eq(e->eax >> 26, h ? caches[_i].core_ids : 0);
			ck_assert_uint_eq(e->ebx, was->ebx);
			ck_assert_uint_eq(e->flags, INDEXED);
		}
		ck_assert_uint_eq(get(&out, leaf, 4)->eax, 0);
	}
	topology_fini(&t);
}
END_TEST

START_TEST(fills_amds_own_leaves)
{
	struct topology t = topology_of((struct topology_config){
		.vps = 24, .sockets = 2, .cores = 6, .threads = 2, .nodes = 4});
	struct cpuid_set host = amd_host(), out = make(&host, &t);
	const struct kvm_cpuid_entry2 *e = get(&out, 0x80000008, 0);

	ck_assert_uint_eq(e->ecx, 0x0003400b); /* 12 VPs in 4 bits; bits 17:16 the host's */
	ck_assert_uint_eq(e->eax, 0x3030);
	ck_assert_uint_eq(get(&out, 0x80000001, 0)->ecx >> 22 & 1, 1);
	cpuid_for_vp(&out, &t, 23);
	e = get(&out, 0x8000001e, 0);
	ck_assert_uint_eq(e->eax, 0x1b);
	ck_assert_uint_eq(e->ebx, 0x105); /* core 5, 2 threads */
	ck_assert_uint_eq(e->ecx, 0x103); /* node 3, 2 in this socket */
	topology_fini(&t);
}
END_TEST

START_TEST(knows_hygon_and_old_amd)
{
	struct topology t = topology_of((struct topology_config){.vps = 8, .sockets = 8});
	struct cpuid_set hygon = amd_host(), old = amd_host(), out;

	memcpy(&hygon.entry[0].ebx, "Hygo", 4);
	memcpy(&hygon.entry[0].edx, "nGen", 4);
	memcpy(&hygon.entry[0].ecx, "uine", 4);
	out = make(&hygon, &t);
	cpuid_for_vp(&out, &t, 7);
	ck_assert_uint_eq(get(&out, 0x8000001e, 0)->eax, 7);
	/* One node over all sockets is still one node of hardware in each. */
	ck_assert_uint_eq(get(&out, 0x8000001e, 0)->ecx, 7);
	ck_assert_uint_eq(get(&out, 0x80000008, 0)->ecx, 0x00030000);

	cpuid_find(&old, 0x80000000, 0)->eax = 0x8000001b;
	out = make(&old, &t);
	ck_assert_ptr_null(cpuid_find(&out, 0x8000001e, 0));
	ck_assert_uint_eq(get(&out, 0x80000001, 0)->ecx >> 22 & 1, 0);
	topology_fini(&t);
}
END_TEST

START_TEST(leaves_intel_without_amds_leaves)
{
	struct topology t = topology_of((struct topology_config){.vps = 8});
	struct cpuid_set host = intel_host(0x1f), out = make(&host, &t);

	ck_assert_ptr_null(cpuid_find(&out, 0x8000001e, 0));
	ck_assert_uint_eq(get(&out, 0x80000001, 0)->ecx, 0x121);
	ck_assert_uint_eq(get(&out, 0x80000008, 0)->ecx, 0);
	topology_fini(&t);
}
END_TEST

/* One set serves VP after VP: nothing of the VP before may remain. */
START_TEST(one_set_serves_all_vps)
{
	struct topology t = topology_of(
		(struct topology_config){.vps = 600, .sockets = 3, .cores = 100, .threads = 2});
	struct cpuid_set host = amd_host(), template = make(&host, &t), reused = template;

	for (uint32_t vp = 0; vp < t.vps; vp++) {
		struct cpuid_set fresh = template;

		cpuid_for_vp(&fresh, &t, vp);
		cpuid_for_vp(&reused, &t, vp);
		ck_assert_mem_eq(&fresh.entry, &reused.entry, fresh.nent * sizeof(fresh.entry[0]));
		ck_assert_uint_eq(get(&fresh, 1, 0)->ebx >> 24, t.vp[vp].apic_id & 0xff);
		ck_assert_uint_eq(get(&fresh, 0xb, 2)->edx, t.vp[vp].apic_id);
	}
	ck_assert_uint_gt(t.max_apic_id, 255);
	topology_fini(&t);
}
END_TEST

START_TEST(has_every_leaf_once)
{
	struct topology t = topology_of((struct topology_config){.vps = 2});
	struct cpuid_set host = _i ? amd_host() : intel_host(0x1f), out = make(&host, &t);

	for (uint32_t i = 0; i < out.nent; i++) {
		const struct kvm_cpuid_entry2 *e = &out.entry[i];

		ck_assert_ptr_eq(cpuid_find(&out, e->function, e->index), e);
	}
	ck_assert_ptr_null(cpuid_find(&out, 0x12345678, 0));
	topology_fini(&t);
}
END_TEST

/* Fills a host up to `count` leaves. */
static struct cpuid_set crowded_host(uint32_t count)
{
	struct cpuid_set s = amd_host();

	for (uint32_t i = 2; s.nent < count; i++) {
		const struct kvm_cpuid_entry2 e = SUBLEAF(0xd, i, 64, 0, 0, 0);

		add(&s, &e, 1);
	}
	return s;
}

START_TEST(refuses_more_leaves_than_fit)
{
	struct topology t = topology_of((struct topology_config){.vps = 2});
	struct kvm_cpuid_entry2 hv[CPUID_MAX_ENTRIES] = {{.function = 0x40000000}};
	struct cpuid_config c = {.hypervisor = hv};
	struct cpuid_set host = crowded_host(CPUID_MAX_ENTRIES), out;
	struct err e = {""};
	uint32_t room;

	ck_assert_int_eq(cpuid_template(&out, &host, &t, &c, &e), 0);
	room = CPUID_MAX_ENTRIES - out.nent;
	ck_assert_uint_gt(room, 0);
	c.hypervisor_count = room;
	ck_assert_int_eq(cpuid_template(&out, &host, &t, &c, &e), 0);
	ck_assert_uint_eq(out.nent, CPUID_MAX_ENTRIES);
	c.hypervisor_count = room + 1;
	ck_assert_int_eq(cpuid_template(&out, &host, &t, &c, &e), -E2BIG);
	ck_assert_str_eq(e.text, "more than 256 CPUID leaves");
	ck_assert_uint_eq(out.nent, CPUID_MAX_ENTRIES);
	c.hypervisor_count = 0;
	host.nent = CPUID_MAX_ENTRIES + 1;
	ck_assert_int_eq(cpuid_template(&out, &host, &t, &c, &e), -E2BIG);
	topology_fini(&t);
}
END_TEST

Suite *cpuid_suite(void)
{
	Suite *s = suite_create("cpuid");
	TCase *t = tcase_create("cpuid");

	tcase_add_test(t, finds_what_is_kvm_s_own);
	tcase_add_loop_test(t, hides_an_l3_that_would_reach_into_another_node, 0, COUNT(l3_cases));
	tcase_add_test(t, replaces_the_hypervisor_leaves);
	tcase_add_test(t, takes_away_what_a_guest_cannot_have);
	tcase_add_loop_test(t, offers_timers_as_configured, 0, 16);
	tcase_add_loop_test(t, nests_as_configured, 0, 4);
	tcase_add_test(t, lists_the_levels_on_any_host);
	tcase_add_test(t, raises_the_highest_leaf_to_the_levels);
	tcase_add_loop_test(t, counts_the_vps_of_a_socket, 0, COUNT(counts));
	tcase_add_loop_test(t, shares_caches_by_the_guests_topology, 0, COUNT(caches));
	tcase_add_test(t, fills_amds_own_leaves);
	tcase_add_test(t, knows_hygon_and_old_amd);
	tcase_add_test(t, leaves_intel_without_amds_leaves);
	tcase_add_test(t, one_set_serves_all_vps);
	tcase_add_loop_test(t, has_every_leaf_once, 0, 2);
	tcase_add_test(t, refuses_more_leaves_than_fit);
	suite_add_tcase(s, t);
	return s;
}
