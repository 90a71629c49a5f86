/* SPDX-License-Identifier: MIT */
/* Body "msr": every synthetic MSR, offered or not, and numbers that have none. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"

/* Registers that no source gives a meaning here, but which have their rows: see the table. */
#define MSR_NPIEP_CONFIG      0x40000040u
#define MSR_EOI               0x40000070u
#define MSR_ICR               0x40000071u
#define MSR_TPR               0x40000072u
#define MSR_STATS_PARTITION   0x400000e0u
#define MSR_STATS_VP          0x400000e2u
#define MSR_GUEST_IDLE        0x400000f0u
#define MSR_SYNDBG_CONTROL    0x400000f1u
#define MSR_SYNDBG_STATUS     0x400000f2u
#define MSR_SYNDBG_SEND       0x400000f3u
#define MSR_SYNDBG_OPTIONS    0x400000ffu
#define MSR_UNHALTED_CONFIG   0x40000114u
#define MSR_UNHALTED_COUNT    0x40000115u
#define MSR_NESTED_VP_INDEX   0x40001002u
#define MSR_NESTED_SCONTROL   0x40001080u
#define FEATURE_NPIEP         (1u << 12)
#define FEATURE_UNHALTED      (1u << 23)
#define ACCESS_CPU_MANAGEMENT HV_CPU_MANAGEMENT

enum reg { EAX, EBX, EDX };

enum flags {
	R = 1,          /* readable */
	W = 2,          /* writable */
	RESET = 4,      /* its reset value is known */
	KEEPS = 8,      /* reads back what was written */
	GATE_OPEN = 16, /* may work without its privilege: sources disagree */
	AS_IS = 64,     /* written with what it holds, as this guest lives on it */
	UNTOUCHED = 32, /* where it is offered, trying it would do harm */
};

struct msr_row {
	uint32_t msr;
	const char *name;
	enum reg reg;  /* of HYPERV_CPUID_FEATURES, where the privilege is */
	uint32_t gate; /* 0: none */
	unsigned flags;
	uint64_t reset;
	uint64_t test; /* written to it */
};

#define PAGE_MSR (R | W | RESET | KEEPS)

/* Page MSRs are tested with their page off: 0xffe are bits that must be preserved. */
static const struct msr_row rows[] = {
	{HV_X64_MSR_GUEST_OS_ID, "GUEST_OS_ID", EAX, HV_MSR_HYPERCALL_AVAILABLE, PAGE_MSR, 0,
	 0x8100123456789abcull},
	{HV_X64_MSR_HYPERCALL, "HYPERCALL", EAX, HV_MSR_HYPERCALL_AVAILABLE, R | W | RESET | AS_IS,
	 0, 0},
	{HV_X64_MSR_VP_INDEX, "VP_INDEX", EAX, HV_MSR_VP_INDEX_AVAILABLE, R, 0, 1},
	{HV_X64_MSR_RESET, "RESET", EAX, HV_MSR_RESET_AVAILABLE, R | W | RESET | KEEPS, 0, 0},
	{HV_X64_MSR_VP_RUNTIME, "VP_RUNTIME", EAX, HV_MSR_VP_RUNTIME_AVAILABLE, R, 0, 1},
	{HV_X64_MSR_TIME_REF_COUNT, "TIME_REF_COUNT", EAX, HV_MSR_TIME_REF_COUNT_AVAILABLE, R, 0,
	 1},
	{HV_X64_MSR_REFERENCE_TSC, "REFERENCE_TSC", EAX, HV_MSR_REFERENCE_TSC_AVAILABLE, PAGE_MSR,
	 0, 0x123ffe},
	{HV_X64_MSR_TSC_FREQUENCY, "TSC_FREQUENCY", EAX, HV_ACCESS_FREQUENCY_MSRS, R, 0, 1},
	{HV_X64_MSR_APIC_FREQUENCY, "APIC_FREQUENCY", EAX, HV_ACCESS_FREQUENCY_MSRS, R, 0, 1},
	{MSR_NPIEP_CONFIG, "NPIEP_CONFIG", EDX, FEATURE_NPIEP, R | W | UNTOUCHED, 0, 0},
	{MSR_EOI, "EOI", EAX, HV_MSR_APIC_ACCESS_AVAILABLE, W, 0, 0},
	{MSR_ICR, "ICR", EAX, HV_MSR_APIC_ACCESS_AVAILABLE, R | W | UNTOUCHED, 0, 0},
	{MSR_TPR, "TPR", EAX, HV_MSR_APIC_ACCESS_AVAILABLE, R | W | RESET | KEEPS, 0, 0},
	{HV_X64_MSR_VP_ASSIST_PAGE, "VP_ASSIST_PAGE", EAX, HV_MSR_APIC_ACCESS_AVAILABLE,
	 PAGE_MSR | GATE_OPEN, 0, 0x123ffe},
	{HV_X64_MSR_SCONTROL, "SCONTROL", EAX, HV_MSR_SYNIC_AVAILABLE, R | W | KEEPS, 0, 1},
	{HV_X64_MSR_SVERSION, "SVERSION", EAX, HV_MSR_SYNIC_AVAILABLE, R | RESET,
	 HV_SYNIC_VERSION_1, 1},
	{HV_X64_MSR_SIEFP, "SIEFP", EAX, HV_MSR_SYNIC_AVAILABLE, PAGE_MSR, 0, 0x123ffe},
	{HV_X64_MSR_SIMP, "SIMP", EAX, HV_MSR_SYNIC_AVAILABLE, PAGE_MSR, 0, 0x123ffe},
	{HV_X64_MSR_EOM, "EOM", EAX, HV_MSR_SYNIC_AVAILABLE, R | W | RESET, 0, 1},
	{HV_X64_MSR_SINT0, "SINT0", EAX, HV_MSR_SYNIC_AVAILABLE, PAGE_MSR, HV_SYNIC_SINT_MASKED,
	 0x10042},
	{HV_X64_MSR_SINT0 + 15, "SINT15", EAX, HV_MSR_SYNIC_AVAILABLE, PAGE_MSR,
	 HV_SYNIC_SINT_MASKED, 0x10000},
	{HV_X64_MSR_STIMER0_CONFIG, "STIMER0_CONFIG", EAX, HV_MSR_SYNTIMER_AVAILABLE, PAGE_MSR, 0,
	 0x2000a},
	{HV_X64_MSR_STIMER0_COUNT, "STIMER0_COUNT", EAX, HV_MSR_SYNTIMER_AVAILABLE, PAGE_MSR, 0,
	 0x7fffffffffffffffull},
	{HV_X64_MSR_STIMER0_CONFIG + 6, "STIMER3_CONFIG", EAX, HV_MSR_SYNTIMER_AVAILABLE, PAGE_MSR,
	 0, 0x20006},
	{HV_X64_MSR_STIMER0_COUNT + 6, "STIMER3_COUNT", EAX, HV_MSR_SYNTIMER_AVAILABLE, PAGE_MSR, 0,
	 ~0ull},
	{MSR_STATS_PARTITION, "STATS_PARTITION_RETAIL_PAGE", EAX, HV_MSR_STAT_PAGES_AVAILABLE,
	 R | W | UNTOUCHED, 0, 0},
	{MSR_STATS_VP, "STATS_VP_RETAIL_PAGE", EAX, HV_MSR_STAT_PAGES_AVAILABLE, R | W | UNTOUCHED,
	 0, 0},
	{MSR_GUEST_IDLE, "GUEST_IDLE", EAX, HV_MSR_GUEST_IDLE_AVAILABLE, R | UNTOUCHED, 0, 0},
	{MSR_SYNDBG_CONTROL, "SYNDBG_CONTROL", EDX, HV_FEATURE_DEBUG_MSRS_AVAILABLE,
	 R | W | UNTOUCHED, 0, 0},
	{MSR_SYNDBG_STATUS, "SYNDBG_STATUS", EDX, HV_FEATURE_DEBUG_MSRS_AVAILABLE, R | W | RESET, 0,
	 0},
	{MSR_SYNDBG_SEND, "SYNDBG_SEND_BUFFER", EDX, HV_FEATURE_DEBUG_MSRS_AVAILABLE,
	 R | W | UNTOUCHED, 0, 0},
	{MSR_SYNDBG_OPTIONS, "SYNDBG_OPTIONS", EDX, HV_FEATURE_DEBUG_MSRS_AVAILABLE, R | W | RESET,
	 0, 0},
	{HV_X64_MSR_CRASH_P0, "CRASH_P0", EDX, HV_FEATURE_GUEST_CRASH_MSR_AVAILABLE, PAGE_MSR, 0,
	 0xfedcba9876543210ull},
	{HV_X64_MSR_CRASH_P0 + 4, "CRASH_P4", EDX, HV_FEATURE_GUEST_CRASH_MSR_AVAILABLE, PAGE_MSR,
	 0, ~0ull},
	{HV_X64_MSR_CRASH_CTL, "CRASH_CTL", EDX, HV_FEATURE_GUEST_CRASH_MSR_AVAILABLE, R | W, 0, 0},
	{HV_X64_MSR_REENLIGHTENMENT_CONTROL, "REENLIGHTENMENT_CONTROL", EAX,
	 HV_ACCESS_REENLIGHTENMENT, PAGE_MSR, 0, 0x1000000ee},
	{HV_X64_MSR_TSC_EMULATION_CONTROL, "TSC_EMULATION_CONTROL", EAX, HV_ACCESS_REENLIGHTENMENT,
	 PAGE_MSR, 0, 1},
	{HV_X64_MSR_TSC_EMULATION_STATUS, "TSC_EMULATION_STATUS", EAX, HV_ACCESS_REENLIGHTENMENT,
	 PAGE_MSR, 0, 0},
	{MSR_UNHALTED_CONFIG, "STIME_UNHALTED_TIMER_CONFIG", EDX, FEATURE_UNHALTED, R | W | RESET,
	 0, 0},
	{MSR_UNHALTED_COUNT, "STIME_UNHALTED_TIMER_COUNT", EDX, FEATURE_UNHALTED, R | W | RESET, 0,
	 0},
	{HV_X64_MSR_TSC_INVARIANT_CONTROL, "TSC_INVARIANT_CONTROL", EAX, HV_ACCESS_TSC_INVARIANT,
	 R | W | RESET, 0, 0},
	{MSR_NESTED_VP_INDEX, "NESTED_VP_INDEX", EBX, ACCESS_CPU_MANAGEMENT, R | UNTOUCHED, 0, 0},
	{MSR_NESTED_SCONTROL, "NESTED_SCONTROL", EBX, ACCESS_CPU_MANAGEMENT, R | W | UNTOUCHED, 0,
	 0},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(ROWS <= CONF_MSR_ROWS, "snapshot.h");

/* Numbers that no source assigns; the ends of each gap. */
static const uint32_t unassigned[] = {
	0x40000004, 0x4000000f, 0x40000011, 0x4000001f, 0x40000024, 0x4000003f, 0x40000041,
	0x4000006f, 0x40000074, 0x4000007f, 0x40000085, 0x4000008f, 0x400000a0, 0x400000af,
	0x40000109, 0x40000113, 0x40000119, 0x400001ff, 0x40000200, 0x4000024f, 0x40000fff,
};

static uint32_t register_of(const struct cpu_cpuid *leaf, enum reg reg)
{
	switch (reg) {
	case EAX:
		return leaf->eax;
	case EBX:
		return leaf->ebx;
	default:
		return leaf->edx;
	}
}

static bool is_offered(const struct conf *c, const struct msr_row *r)
{
	return register_of(&c->features, r->reg) & r->gate;
}

void conf_snapshot_take(struct conf_snapshot *s)
{
	const struct cpu_cpuid leaf = cpu_cpuid(HYPERV_CPUID_FEATURES);
	size_t i;

	for (i = 0; i < ROWS; i++) {
		if (register_of(&leaf, rows[i].reg) & rows[i].gate && rows[i].flags & UNTOUCHED)
			continue;
		s->vector[i] = (uint8_t)cpu_rdmsr_safe(rows[i].msr, &s->val[i]);
	}
}

static void test_absent(struct conf *c, const struct msr_row *r)
{
	uint64_t val;

	conf_equal(c, (uint64_t)cpu_rdmsr_safe(r->msr, &val), TRAP_GP,
		   "%s is not offered: reading it: #GP", r->name);
	conf_equal(c, (uint64_t)cpu_wrmsr_safe(r->msr, 0), TRAP_GP,
		   "%s is not offered: writing it: #GP", r->name);
}

static void test_write(struct conf *c, const struct msr_row *r)
{
	uint64_t before = 0, val;

	if (!(r->flags & W)) {
		conf_equal(c, (uint64_t)cpu_wrmsr_safe(r->msr, r->test), TRAP_GP,
			   "%s is read-only: #GP", r->name);
		return;
	}
	if (r->flags & R)
		cpu_rdmsr_safe(r->msr, &before);
	conf_equal(c, (uint64_t)cpu_wrmsr_safe(r->msr, r->flags & AS_IS ? before : r->test), 0,
		   "%s can be written", r->name);
	if (!(r->flags & KEEPS))
		return;
	cpu_rdmsr_safe(r->msr, &val);
	conf_equal(c, val, r->test, "%s reads back", r->name);
	cpu_wrmsr_safe(r->msr, before);
}

static void test_present(struct conf *c, const struct msr_row *r)
{
	size_t i = (size_t)(r - rows);
	uint64_t val;

	if (r->flags & UNTOUCHED) {
		conf_skip(c, "trying it would do harm", "%s", r->name);
		return;
	}
	conf_equal(c, (uint64_t)cpu_rdmsr_safe(r->msr, &val), r->flags & R ? 0 : TRAP_GP,
		   r->flags & R ? "%s can be read" : "%s is write-only: #GP", r->name);
	if (r->flags & RESET)
		conf_equal(c, c->snapshot.val[i], r->reset, "%s has its reset value", r->name);
	test_write(c, r);
}

static void test_unassigned(struct conf *c)
{
	uint64_t val;
	size_t i;

	for (i = 0; i < sizeof(unassigned) / sizeof(unassigned[0]); i++) {
		uint32_t msr = unassigned[i];
		int read = cpu_rdmsr_safe(msr, &val), write = cpu_wrmsr_safe(msr, 0);

		conf_ok(c, read == TRAP_GP && write == TRAP_GP, "MSR %x is unassigned: #GP", msr);
	}
}

/* Registers of the same kind as one that has a row. */
static void test_siblings(struct conf *c, const char *name, uint32_t first, uint32_t count,
			  uint32_t step, uint64_t reset)
{
	uint32_t n, as_reset = 0;
	uint64_t val;

	for (n = 0; n < count; n++)
		as_reset += cpu_rdmsr_safe(first + n * step, &val) == 0 && val == reset;
	conf_equal(c, as_reset, count, "all %u of %s have their reset value", count, name);
}

static void test_vp_index(struct conf *c)
{
	const struct vp_table *t = &kernel.vp_table;
	uint32_t i, j, same = 0;

	for (i = 0; i < t->count; i++) {
		for (j = 0; j < i; j++)
			same += t->vps[i].hv_vp_index == t->vps[j].hv_vp_index;
	}
	conf_equal(c, same, 0, "VP_INDEX is different on each VP");
}

void conf_msr(struct conf *c)
{
	const struct msr_row *r;
	uint64_t val;

	if (conf_has_eax(c, HV_MSR_SYNIC_AVAILABLE))
		test_siblings(c, "SINT0-15", HV_X64_MSR_SINT0, HV_SYNIC_SINT_COUNT, 1,
			      HV_SYNIC_SINT_MASKED);
	if (conf_has_eax(c, HV_MSR_SYNTIMER_AVAILABLE))
		test_siblings(c, "STIMER0-3_CONFIG", HV_X64_MSR_STIMER0_CONFIG, HV_STIMER_COUNT, 2,
			      0);
	for (r = rows; r < rows + ROWS; r++) {
		if (is_offered(c, r))
			test_present(c, r);
		else if (r->flags & GATE_OPEN && cpu_rdmsr_safe(r->msr, &val) == 0)
			test_present(c, r); /* not promised, but there */
		else
			test_absent(c, r);
	}
	test_unassigned(c);
	test_vp_index(c);
}
