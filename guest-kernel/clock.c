/* SPDX-License-Identifier: MIT */
/* Frequencies of the TSC and of the local APIC timer: told by the hypervisor, or measured. */
#include "guest-kernel/clock.h"

#include "guest-kernel/abi/trace.h"
#include "guest-kernel/cpu.h"
#include "guest-kernel/pit.h"
#include "guest-kernel/shutdown.h"

#define CPUID_TSC                     0x15
#define CPUID_EXT                     0x80000000u
#define CPUID_POWER                   0x80000007u
#define CPUID_POWER_EDX_INVARIANT_TSC (1u << 8)

#define KVM_FEATURE_CLOCKSOURCE2 (1u << 3)
#define MSR_KVM_SYSTEM_TIME_NEW  0x4b564d01
#define KVMCLOCK_ENABLE          1u

#define APIC_MEASURE_US    1000
#define APIC_MEASURE_READS 3

/* What KVM writes for a VP that enables kvmclock (Linux, Documentation/virt/kvm/x86/msr.rst) */
struct kvmclock_time {
	_Alignas(32) uint32_t version;
	uint32_t pad0;
	uint64_t tsc_timestamp;
	uint64_t system_time;
	uint32_t tsc_to_system_mul;
	int8_t tsc_shift;
	uint8_t flags;
	uint8_t pad[2];
};

_Static_assert(sizeof(struct kvmclock_time) == 32, "ABI");

/* Each of these returns kHz, or 0 if the source is not there. */

static uint64_t tsc_khz_hyperv(const struct hypervisor *h)
{
	uint64_t hz;

	if (!(h->hyperv_privileges & HV_ACCESS_FREQUENCY_MSRS) ||
	    !(h->hyperv_features & HV_FEATURE_FREQUENCY_MSRS_AVAILABLE) ||
	    cpu_rdmsr_safe(HV_X64_MSR_TSC_FREQUENCY, &hz))
		return 0;
	return hz / 1000;
}

/* kvmclock's nanoseconds are TSC cycles, shifted left by tsc_shift, times mul / 2^32. */
static uint64_t tsc_khz_kvm(const struct hypervisor *h)
{
	volatile struct kvmclock_time t = {.tsc_to_system_mul = 0};
	uint64_t khz;

	if (!(h->kvm_features & KVM_FEATURE_CLOCKSOURCE2) ||
	    cpu_wrmsr_safe(MSR_KVM_SYSTEM_TIME_NEW, (uint64_t)&t | KVMCLOCK_ENABLE))
		return 0;
	khz = t.tsc_to_system_mul != 0 ? (1000000ull << 32) / t.tsc_to_system_mul : 0;
	if (t.tsc_shift < 0)
		khz <<= -t.tsc_shift & 31;
	else
		khz >>= t.tsc_shift & 31;
	cpu_wrmsr_safe(MSR_KVM_SYSTEM_TIME_NEW, 0);
	return khz;
}

/* SDM 2A, CPUID leaf 15H: TSC = crystal clock in ECX * EBX / EAX. */
static uint64_t tsc_khz_cpuid(const struct hypervisor *h)
{
	struct cpu_cpuid leaf;

	(void)h;
	if (cpu_cpuid(0).eax < CPUID_TSC)
		return 0;
	leaf = cpu_cpuid(CPUID_TSC);
	if (leaf.eax == 0)
		return 0;
	return (uint64_t)leaf.ecx * leaf.ebx / leaf.eax / 1000;
}

static uint64_t tsc_khz_pit(const struct hypervisor *h)
{
	(void)h;
	return pit_measure_tsc_khz();
}

/* Where the TSC's frequency may come from, in the order in which they are tried. */
static const struct tsc_source {
	uint32_t id; /* enum trace_tsc_source */
	const char *name;
	uint64_t (*khz)(const struct hypervisor *h);
} tsc_sources[] = {
	{TRACE_TSC_HYPERV, "Hyper-V", tsc_khz_hyperv},
	{TRACE_TSC_KVM, "kvmclock", tsc_khz_kvm},
	{TRACE_TSC_CPUID, "CPUID", tsc_khz_cpuid},
	{TRACE_TSC_PIT, "PIT", tsc_khz_pit},
	{0, "nowhere", NULL},
};

struct apic_sample {
	uint64_t tsc;
	uint32_t count;
};

/* Counter and TSC at one moment: of several tries the one that took least time. */
static struct apic_sample sample_apic_timer(const struct apic *a)
{
	struct apic_sample s = {.tsc = 0};
	uint64_t before, after, least = UINT64_MAX;
	uint32_t count;
	int i;

	for (i = 0; i < APIC_MEASURE_READS; i++) {
		before = cpu_rdtsc();
		count = apic_timer_read(a);
		after = cpu_rdtsc();
		if (after - before < least) {
			least = after - before;
			s.tsc = before + (after - before) / 2;
			s.count = count;
		}
	}
	return s;
}

static uint64_t measure_apic_timer_hz(const struct apic *a, uint64_t tsc_khz)
{
	uint64_t wait = tsc_khz * APIC_MEASURE_US / 1000;
	struct apic_sample start, end;

	apic_timer_start_masked(a, UINT32_MAX);
	start = sample_apic_timer(a);
	while (cpu_rdtsc() - start.tsc < wait)
		;
	end = sample_apic_timer(a);
	apic_timer_start_masked(a, 0);
	return (uint64_t)(start.count - end.count) * tsc_khz / (end.tsc - start.tsc) * 1000;
}

static uint64_t apic_timer_hz(const struct clock *c, const struct apic *a)
{
	uint64_t hz;

	if (c->tsc_source == TRACE_TSC_HYPERV && !cpu_rdmsr_safe(HV_X64_MSR_APIC_FREQUENCY, &hz))
		return hz;
	return measure_apic_timer_hz(a, c->tsc_khz);
}

void clock_init(struct clock *c, const struct hypervisor *h, const struct apic *a)
{
	const struct tsc_source *s;

	for (s = tsc_sources; s->khz; s++) {
		c->tsc_khz = s->khz(h);
		if (c->tsc_khz != 0)
			break;
	}
	if (c->tsc_khz == 0)
		fail("no TSC frequency: not Hyper-V, no kvmclock, no CPUID leaf 15, no 8254");
	c->tsc_source = s->id;
	c->apic_timer_hz = apic_timer_hz(c, a);
	if (c->apic_timer_hz == 0)
		fail("the local APIC timer does not count");
}

bool clock_tsc_is_invariant(void)
{
	return cpu_cpuid(CPUID_EXT).eax >= CPUID_POWER &&
	       cpu_cpuid(CPUID_POWER).edx & CPUID_POWER_EDX_INVARIANT_TSC;
}

const char *clock_source_name(const struct clock *c)
{
	const struct tsc_source *s = tsc_sources;

	while (s->khz && s->id != c->tsc_source)
		s++;
	return s->name;
}
