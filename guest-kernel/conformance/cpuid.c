/* SPDX-License-Identifier: MIT */
/* Body "cpuid": the leaves, bit by bit, and whether they keep what they promise. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"

#define CPUID_1_ECX_HYPERVISOR (1u << 31)
#define LEAF_CPU_MANAGEMENT    0x40000007u
#define LEAF_SVM               0x40000008u
#define LEAF_NESTED            0x40000009u
#define MAX_LEAF_LIMIT         0x4000ffffu
#define NO_VP_LIMIT            0xffffffffu

/* Bits that are reserved in every source, or that only a root partition has */
#define FEATURES_EAX_RESERVED  0xffff0000u
#define FEATURES_EBX_RESERVED  0xff840600u
#define FEATURES_EBX_ROOT      0x0000314du
#define FEATURES_ECX_RESERVED  0xfffffe00u
#define HINTS_EAX_RESERVED     0xff000000u
#define HINTS_ECX_RESERVED     0xffffff80u
#define HINT_ROOT_REMAPPING    0x000000c0u
#define HARDWARE_EAX_RESERVED  0xf0000000u
#define HARDWARE_EBX_RESERVED  0xffffff00u
#define FEATURES_EBX_ISOLATION (1u << 22)

#define HINT_RESET_MSR    (1u << 4)
#define HINT_NESTED       (1u << 12)
#define FEATURE_LOCK      (1u << 18)
#define FEATURE_NPIEP     (1u << 12)
#define FEATURE_UNHALTED  (1u << 23)
#define VS_RESERVED       0xfffffff0u
#define MSR_NPIEP         0x40000040u
#define MSR_EOI           0x40000070u
#define MSR_UNHALTED      0x40000114u
#define MSR_SYNDBG_STATUS 0x400000f2u
#define MSR_STATS         0x400000e0u

/* A bit of leaf 0x40000003 and an MSR that can be read exactly if it is set. */
static const struct {
	const char *name;
	bool edx; /* else EAX */
	uint32_t bit;
	uint32_t msr;
} promises[] = {
	{"EAX 0, VP_RUNTIME", false, HV_MSR_VP_RUNTIME_AVAILABLE, HV_X64_MSR_VP_RUNTIME},
	{"EAX 1, TIME_REF_COUNT", false, HV_MSR_TIME_REF_COUNT_AVAILABLE,
	 HV_X64_MSR_TIME_REF_COUNT},
	{"EAX 2, SCONTROL", false, HV_MSR_SYNIC_AVAILABLE, HV_X64_MSR_SCONTROL},
	{"EAX 3, STIMER0_CONFIG", false, HV_MSR_SYNTIMER_AVAILABLE, HV_X64_MSR_STIMER0_CONFIG},
	{"EAX 5, HYPERCALL", false, HV_MSR_HYPERCALL_AVAILABLE, HV_X64_MSR_HYPERCALL},
	{"EAX 6, VP_INDEX", false, HV_MSR_VP_INDEX_AVAILABLE, HV_X64_MSR_VP_INDEX},
	{"EAX 7, RESET", false, HV_MSR_RESET_AVAILABLE, HV_X64_MSR_RESET},
	{"EAX 8, statistics pages", false, HV_MSR_STAT_PAGES_AVAILABLE, MSR_STATS},
	{"EAX 9, REFERENCE_TSC", false, HV_MSR_REFERENCE_TSC_AVAILABLE, HV_X64_MSR_REFERENCE_TSC},
	{"EAX 11, TSC_FREQUENCY", false, HV_ACCESS_FREQUENCY_MSRS, HV_X64_MSR_TSC_FREQUENCY},
	{"EAX 11, APIC_FREQUENCY", false, HV_ACCESS_FREQUENCY_MSRS, HV_X64_MSR_APIC_FREQUENCY},
	{"EAX 13, REENLIGHTENMENT_CONTROL", false, HV_ACCESS_REENLIGHTENMENT,
	 HV_X64_MSR_REENLIGHTENMENT_CONTROL},
	{"EAX 15, TSC_INVARIANT_CONTROL", false, HV_ACCESS_TSC_INVARIANT,
	 HV_X64_MSR_TSC_INVARIANT_CONTROL},
	{"EDX 8, TSC_FREQUENCY", true, HV_FEATURE_FREQUENCY_MSRS_AVAILABLE,
	 HV_X64_MSR_TSC_FREQUENCY},
	{"EDX 10, CRASH_CTL", true, HV_FEATURE_GUEST_CRASH_MSR_AVAILABLE, HV_X64_MSR_CRASH_CTL},
	{"EDX 11, SYNDBG_STATUS", true, HV_FEATURE_DEBUG_MSRS_AVAILABLE, MSR_SYNDBG_STATUS},
	{"EDX 12, NPIEP_CONFIG", true, FEATURE_NPIEP, MSR_NPIEP},
	{"EDX 23, STIME_UNHALTED_TIMER_CONFIG", true, FEATURE_UNHALTED, MSR_UNHALTED},
};

static void test_identity(struct conf *c)
{
	const struct cpu_cpuid l = cpu_cpuid(HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS);
	const struct cpu_cpuid i = cpu_cpuid(HYPERV_CPUID_INTERFACE);

	conf_ok(c, cpu_cpuid(1).ecx & CPUID_1_ECX_HYPERVISOR, "leaf 1 ECX 31: a hypervisor");
	conf_ok(c, l.eax >= HYPERV_CPUID_IMPLEMENT_LIMITS && l.eax <= MAX_LEAF_LIMIT,
		"highest leaf is from 40000005 to 4000ffff");
	conf_ok(c,
		l.ebx == HYPERV_CPUID_VENDOR_EBX && l.ecx == HYPERV_CPUID_VENDOR_ECX &&
			l.edx == HYPERV_CPUID_VENDOR_EDX,
		"vendor is \"Microsoft Hv\"");
	conf_equal(c, i.eax, HYPERV_CPUID_SIGNATURE_EAX, "interface is \"Hv#1\"");
	conf_equal(c, i.ebx | i.ecx | i.edx, 0, "leaf 1: reserved registers are 0");
}

static void test_features(struct conf *c)
{
	const struct cpu_cpuid *f = &c->features;
	bool isolated = f->ebx & FEATURES_EBX_ISOLATION;

	conf_equal(c, f->eax & FEATURES_EAX_RESERVED, 0, "leaf 3 EAX: reserved bits are 0");
	conf_equal(c, f->ebx & FEATURES_EBX_RESERVED, 0, "leaf 3 EBX: reserved bits are 0");
	conf_equal(c, f->ebx & FEATURES_EBX_ROOT, 0,
		   "leaf 3 EBX: no privileges of a root partition");
	conf_ok(c, !isolated, "leaf 3 EBX 22: the partition is not isolated");
	conf_equal(c, f->ecx & FEATURES_ECX_RESERVED, 0, "leaf 3 ECX: reserved bits are 0");
	conf_ok(c, conf_has_eax(c, HV_MSR_HYPERCALL_AVAILABLE | HV_MSR_VP_INDEX_AVAILABLE),
		"leaf 3 EAX 5 and 6: what no guest goes without");
	conf_ok(c,
		conf_has_eax(c, HV_ACCESS_FREQUENCY_MSRS) ==
			conf_has_edx(c, HV_FEATURE_FREQUENCY_MSRS_AVAILABLE),
		"leaf 3 EAX 11 and EDX 8: both or neither");
	conf_ok(c,
		!conf_has_eax(c, HV_MSR_SYNTIMER_AVAILABLE) ||
			conf_has_eax(c, HV_MSR_TIME_REF_COUNT_AVAILABLE),
		"leaf 3: timers come with a reference counter");
	conf_ok(c,
		!conf_has_edx(c, HV_STIMER_DIRECT_MODE_AVAILABLE) ||
			conf_has_eax(c, HV_MSR_SYNTIMER_AVAILABLE),
		"leaf 3: direct mode comes with timers");
	conf_ok(c,
		!conf_has_edx(c, HV_FEATURE_SINT_POLLING_AVAILABLE) ||
			conf_has_eax(c, HV_MSR_SYNIC_AVAILABLE),
		"leaf 3: polled SINTs come with a SynIC");
	conf_ok(c,
		!(f->ebx & (HV_POST_MESSAGES | HV_SIGNAL_EVENTS)) ||
			conf_has_eax(c, HV_MSR_HYPERCALL_AVAILABLE),
		"leaf 3: messages and events come with hypercalls");
}

static void test_hints(struct conf *c)
{
	const struct cpu_cpuid *h = &c->hints;

	conf_equal(c, h->eax & HINTS_EAX_RESERVED, 0, "leaf 4 EAX: reserved bits are 0");
	conf_equal(c, h->eax & HINT_NESTED, 0, "leaf 4 EAX 12: not nested");
	conf_equal(c, h->eax & HINT_ROOT_REMAPPING, 0, "leaf 4 EAX 6 and 7: no remapping");
	conf_ok(c, !conf_has_hint(c, HINT_RESET_MSR) || conf_has_eax(c, HV_MSR_RESET_AVAILABLE),
		"leaf 4 EAX 4: the reset MSR is there if it is recommended");
	conf_ok(c,
		!conf_has_hint(c, HV_X64_APIC_ACCESS_RECOMMENDED) ||
			conf_has_eax(c, HV_MSR_APIC_ACCESS_AVAILABLE),
		"leaf 4 EAX 3: APIC MSRs are there if they are recommended");
	conf_ok(c,
		!conf_has_hint(c, HV_X64_ENLIGHTENED_VMCS_RECOMMENDED) ||
			c->max_leaf >= HYPERV_CPUID_NESTED_FEATURES,
		"leaf 4 EAX 14: an enlightened VMCS has its leaf");
	conf_equal(c, h->ecx & HINTS_ECX_RESERVED, 0, "leaf 4 ECX: reserved bits are 0");
	conf_equal(c, h->edx, 0, "leaf 4 EDX is 0");
}

static void test_limits(struct conf *c)
{
	const struct cpu_cpuid l = cpu_cpuid(HYPERV_CPUID_IMPLEMENT_LIMITS);

	conf_ok(c, l.eax == NO_VP_LIMIT || l.eax >= kernel.vp_table.count,
		"leaf 5 EAX: as many VPs as there are, or more");
	conf_equal(c, l.edx, 0, "leaf 5 EDX is 0");
}

static void test_upper_leaves(struct conf *c)
{
	struct cpu_cpuid l;

	if (c->max_leaf >= HYPERV_CPUID_CPU_FEATURES_IN_USE) {
		l = cpu_cpuid(HYPERV_CPUID_CPU_FEATURES_IN_USE);
		conf_equal(c, (l.eax & HARDWARE_EAX_RESERVED) | (l.ebx & HARDWARE_EBX_RESERVED), 0,
			   "leaf 6: reserved bits are 0");
		conf_equal(c, l.ecx | l.edx, 0, "leaf 6: ECX and EDX are 0");
	}
	if (c->max_leaf >= LEAF_CPU_MANAGEMENT) {
		l = cpu_cpuid(LEAF_CPU_MANAGEMENT);
		conf_equal(c, l.eax | l.ebx | l.ecx | l.edx, 0, "leaf 7, a root's, is 0");
	}
	if (c->max_leaf >= LEAF_SVM) {
		l = cpu_cpuid(LEAF_SVM);
		conf_equal(c, l.ebx | l.ecx | l.edx, 0, "leaf 8: EBX, ECX and EDX are 0");
	}
	if (c->max_leaf >= LEAF_NESTED) {
		l = cpu_cpuid(LEAF_NESTED);
		conf_equal(c, l.ebx | l.ecx, 0, "leaf 9: EBX and ECX are 0");
	}
	if (c->max_leaf >= HYPERV_CPUID_NESTED_FEATURES) {
		l = cpu_cpuid(HYPERV_CPUID_NESTED_FEATURES);
		conf_equal(c, l.ecx | l.edx, 0, "leaf a: ECX and EDX are 0");
	}
	/* Guests look here whatever the highest leaf is. */
	if (cpu_cpuid(HYPERV_CPUID_VIRT_STACK_INTERFACE).eax == HYPERV_VS_INTERFACE_EAX_SIGNATURE) {
		l = cpu_cpuid(HYPERV_CPUID_VIRT_STACK_PROPERTIES);
		conf_equal(c, (l.eax & VS_RESERVED) | l.ebx | l.ecx | l.edx, 0,
			   "leaf 82: reserved bits are 0");
	}
}

static void test_promises(struct conf *c)
{
	uint64_t val;
	size_t i;

	for (i = 0; i < sizeof(promises) / sizeof(promises[0]); i++) {
		uint32_t reg = promises[i].edx ? c->features.edx : c->features.eax;
		bool promised = reg & promises[i].bit;
		bool works = cpu_rdmsr_safe(promises[i].msr, &val) == 0;

		conf_ok(c, promised == works, "leaf 3 %s: both or neither", promises[i].name);
	}
	conf_ok(c,
		conf_has_eax(c, HV_MSR_APIC_ACCESS_AVAILABLE) == (cpu_wrmsr_safe(MSR_EOI, 0) == 0),
		"leaf 3 EAX 4: EOI MSR");
}

/* Bit 12 of CONFIG, the timer off, is legal exactly if direct mode is offered. */
static void test_direct_bit(struct conf *c)
{
	bool promised = conf_has_edx(c, HV_STIMER_DIRECT_MODE_AVAILABLE);
	bool works;

	if (!conf_has_eax(c, HV_MSR_SYNTIMER_AVAILABLE))
		return;
	works = cpu_wrmsr_safe(HV_X64_MSR_STIMER0_CONFIG, HV_STIMER_DIRECT) == 0;
	cpu_wrmsr_safe(HV_X64_MSR_STIMER0_CONFIG, 0);
	conf_ok(c, promised == works, "leaf 3 EDX 19: direct mode of timers");
}

struct leaves {
	struct cpu_cpuid leaf[6];
};

static void read_leaves(void *arg)
{
	struct leaves *l = arg;
	uint32_t i;

	for (i = 0; i < 6; i++)
		l->leaf[i] = cpu_cpuid(HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS + i);
}

static void test_same_everywhere(struct conf *c)
{
	struct leaves here, there;
	uint32_t i, differ = 0;

	if (kernel.vp_table.count < 2) {
		conf_skip(c, "one VP only", "leaves are the same on VP 1");
		return;
	}
	read_leaves(&here);
	if (!conf_on_vp(c, 1, read_leaves, &there))
		return;
	for (i = 0; i < 6; i++)
		differ += here.leaf[i].eax != there.leaf[i].eax ||
			  here.leaf[i].ebx != there.leaf[i].ebx ||
			  here.leaf[i].ecx != there.leaf[i].ecx ||
			  here.leaf[i].edx != there.leaf[i].edx;
	conf_equal(c, differ, 0, "leaves are the same on VP 1");
}

void conf_cpuid(struct conf *c)
{
	test_identity(c);
	test_features(c);
	test_hints(c);
	test_limits(c);
	test_upper_leaves(c);
	test_promises(c);
	test_direct_bit(c);
	test_same_everywhere(c);
	if (!conf_has_edx(c, FEATURE_LOCK))
		conf_note(c, "HYPERCALL can't be locked");
}
