/* SPDX-License-Identifier: MIT */
/* synic=serial|parallel: SynIC and first synthetic timer of each VP, as a guest's drivers set them up. */
#include "guest-kernel/synic.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/shutdown.h"

#define SINT_MESSAGES     2 /* VMBus's and, in message mode, the timer's */
#define PAGES_PER_VP      2
#define TIMER_AHEAD_100NS 600000000ull /* a minute: it does not expire */
#define TURN_ALL          UINT32_MAX

/* Sets bits of an MSR and keeps those of `keep`, as guests must not change what is reserved. */
static bool update(uint32_t msr, uint64_t keep, uint64_t bits)
{
	uint64_t val;

	return !cpu_rdmsr_safe(msr, &val) && !cpu_wrmsr_safe(msr, (val & keep) | bits);
}

static bool set_up_synic(const uint8_t *pages)
{
	const uint64_t keep_page = HV_HYP_PAGE_SIZE - 2; /* bits [11:1] */
	const uint64_t keep_sint = ~(HV_SYNIC_SINT_VECTOR_MASK | HV_SYNIC_SINT_MASKED |
				     HV_SYNIC_SINT_AUTO_EOI | HV_SYNIC_SINT_POLLING);

	return update(HV_X64_MSR_SIMP, keep_page, (uint64_t)pages | 1) &&
	       update(HV_X64_MSR_SIEFP, keep_page, (uint64_t)pages + HV_HYP_PAGE_SIZE + 1) &&
	       update(HV_X64_MSR_SINT0 + SINT_MESSAGES, keep_sint, VECTOR_WAKE) &&
	       update(HV_X64_MSR_SCONTROL, ~HV_SYNIC_CONTROL_ENABLE, HV_SYNIC_CONTROL_ENABLE);
}

/* Off, configured, and armed. */
static bool set_up_timer(const struct synic *s)
{
	return !cpu_wrmsr_safe(HV_X64_MSR_STIMER0_COUNT, 0) &&
	       !cpu_wrmsr_safe(HV_X64_MSR_STIMER0_CONFIG, 0) &&
	       !cpu_wrmsr_safe(HV_X64_MSR_STIMER0_CONFIG, s->timer_config) &&
	       !cpu_wrmsr_safe(HV_X64_MSR_STIMER0_COUNT, s->timer_due_100ns);
}

static void set_up(struct synic *s, struct vp *vp)
{
	const uint8_t *pages = s->pages + (size_t)vp->index * PAGES_PER_VP * HV_HYP_PAGE_SIZE;
	bool ok;

	vp_mark(vp, TRACE_VP_SYNIC);
	ok = set_up_synic(pages) && (s->timer_due_100ns == 0 || set_up_timer(s));
	vp_mark(vp, TRACE_VP_SYNIC_END);
	if (!ok)
		__atomic_add_fetch(&s->faulted, 1, __ATOMIC_RELAXED);
}

/* Direct mode where there is one, else messages. */
static void prepare_timer(struct synic *s)
{
	const struct hypervisor *h = &kernel.hypervisor;
	uint64_t now;

	if (!(h->hyperv_privileges & HV_MSR_SYNTIMER_AVAILABLE) ||
	    cpu_rdmsr_safe(HV_X64_MSR_TIME_REF_COUNT, &now))
		return;
	s->timer_due_100ns = now + TIMER_AHEAD_100NS;
	s->timer_config = HV_STIMER_ENABLE | HV_STIMER_AUTOENABLE;
	if (h->hyperv_features & HV_STIMER_DIRECT_MODE_AVAILABLE)
		s->timer_config |= HV_STIMER_DIRECT | (uint64_t)VECTOR_WAKE
							      << HV_STIMER_APIC_VECTOR_SHIFT;
	else
		s->timer_config |= (uint64_t)SINT_MESSAGES << HV_STIMER_SINT_SHIFT;
}

void synic_prepare(struct synic *s, struct memory *memory, uint32_t vp_count)
{
	const size_t size = (size_t)vp_count * PAGES_PER_VP * HV_HYP_PAGE_SIZE;

	if (!(kernel.hypervisor.hyperv_privileges & HV_MSR_SYNIC_AVAILABLE))
		fail("synic: the hypervisor has none");
	s->pages = memory_alloc(memory, size, HV_HYP_PAGE_SIZE);
	if (!s->pages)
		fail("no RAM for the SynIC pages of %u VPs (%lu KiB, %lu are left): give the VM "
		     "more",
		     vp_count, size / 1024, memory_left(memory) / 1024);
	prepare_timer(s);
}

static bool one_by_one(struct synic *s)
{
	const struct vp_table *t = &kernel.vp_table;
	uint32_t i;

	set_up(s, t->vps);
	for (i = 1; i < t->count; i++) {
		s->wake_at = i;
		__atomic_store_n(&s->turn, i, __ATOMIC_RELEASE);
		smp_wake(&t->vps[i]);
		if (!smp_wait(&s->done, i, NULL))
			return false;
	}
	return true;
}

static bool all_at_once(struct synic *s)
{
	const uint32_t others = kernel.vp_table.count - 1;

	s->wake_at = others;
	__atomic_store_n(&s->turn, TURN_ALL, __ATOMIC_RELEASE);
	apic_send_ipi_others(&kernel.apic, VECTOR_WAKE);
	set_up(s, kernel.vp_table.vps);
	return smp_wait(&s->done, others, NULL);
}

bool synic_set_up_all(struct synic *s)
{
	const uint32_t vps = kernel.vp_table.count;
	bool ok;

	cpu_sti();
	s->begin_tsc = cpu_rdtsc();
	ok = kernel.options.synic == TRACE_SYNIC_SERIAL ? one_by_one(s) : all_at_once(s);
	s->end_tsc = cpu_rdtsc();
	cpu_cli();
	if (!ok)
		console_line("synic: %u of %u CPUs have not set theirs up",
			     vps - 1 - __atomic_load_n(&s->done, __ATOMIC_ACQUIRE), vps);
	else if (s->faulted)
		console_line("synic: MSRs faulted on %u of %u CPUs", s->faulted, vps);
	else
		console_info("synic: set up on %u CPUs in %lu us%s", vps,
			     (s->end_tsc - s->begin_tsc) * 1000 / kernel.clock.tsc_khz,
			     s->timer_due_100ns ? "" : ", without timers");
	return ok && s->faulted == 0;
}

void synic_serve(struct vp *vp)
{
	struct synic *s = &kernel.synic;

	smp_wait_for_turn(vp, &s->turn);
	set_up(s, vp);
	if (__atomic_add_fetch(&s->done, 1, __ATOMIC_RELEASE) == s->wake_at)
		smp_wake_boot_vp();
}
