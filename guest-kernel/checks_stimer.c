/* SPDX-License-Identifier: MIT */
/* stimer_first=on: a synthetic timer that expires before there is a page for its message. */
#include "guest-kernel/checks.h"

#include "guest-kernel/kernel.h"

#define SINT        2
#define DUE_100NS   10000u /* 1 ms */
#define UNSEEN_MS   5      /* with no page, past the due time */
#define PATIENCE_MS 200

/* TSC at which the slot held a message, or 0 if none comes. Frees the slot. */
static uint64_t wait_for_message(struct checks *c, uint64_t ms)
{
	volatile struct hv_message *slot = (volatile struct hv_message *)c->messages + SINT;
	uint64_t start = cpu_rdtsc(), now;

	do
		now = cpu_rdtsc();
	while (slot->type == 0 && now - start < kernel.clock.tsc_khz * ms);
	if (slot->type == 0)
		return 0;
	slot->type = 0;
	cpu_wrmsr_safe(HV_X64_MSR_EOM, 0);
	return now;
}

/* A one-shot timer in message mode. Returns false where there is no reference time or no timer. */
static bool start_timer(void)
{
	uint64_t now;

	return !cpu_rdmsr_safe(HV_X64_MSR_TIME_REF_COUNT, &now) &&
	       !cpu_wrmsr_safe(HV_X64_MSR_STIMER0_CONFIG, 0) &&
	       !cpu_wrmsr_safe(HV_X64_MSR_STIMER0_CONFIG,
			       HV_STIMER_ENABLE | (uint64_t)SINT << HV_STIMER_SINT_SHIFT) &&
	       !cpu_wrmsr_safe(HV_X64_MSR_STIMER0_COUNT, now + DUE_100NS);
}

static void delay_ms(uint64_t ms)
{
	uint64_t start = cpu_rdtsc();

	while (cpu_rdtsc() - start < kernel.clock.tsc_khz * ms)
		cpu_pause();
}

static void put_away(void)
{
	cpu_wrmsr_safe(HV_X64_MSR_STIMER0_CONFIG, 0);
	cpu_wrmsr_safe(HV_X64_MSR_SINT0 + SINT, HV_SYNIC_SINT_MASKED);
	cpu_wrmsr_safe(HV_X64_MSR_SCONTROL, 0);
	cpu_wrmsr_safe(HV_X64_MSR_SIMP, 0);
}

void checks_stimer_first(struct checks *c)
{
	const uint32_t needs = HV_MSR_SYNIC_AVAILABLE | HV_MSR_SYNTIMER_AVAILABLE;
	uint64_t started, seen;

	if ((kernel.hypervisor.hyperv_privileges & needs) != needs) {
		console_line("stimer_first: the hypervisor has no SynIC timers");
		c->failed = true;
		return;
	}
	put_away();
	cpu_wrmsr_safe(HV_X64_MSR_SINT0 + SINT, VECTOR_WAKE);
	cpu_wrmsr_safe(HV_X64_MSR_SCONTROL, HV_SYNIC_CONTROL_ENABLE);
	started = cpu_rdtsc();
	start_timer();
	delay_ms(DUE_100NS / 10000 + UNSEEN_MS);
	cpu_wrmsr_safe(HV_X64_MSR_SIMP, (uint64_t)c->messages | 1);
	seen = wait_for_message(c, PATIENCE_MS);
	if (seen)
		checks_add(c, FINDING_TIMER_LATE, 0,
			   (int64_t)((seen - started) * 1000 / kernel.clock.tsc_khz) -
				   DUE_100NS / 10,
			   0);
	else
		checks_add(c, FINDING_TIMER_LOST, 0, 0, 0);
	/* Does the timer work now, or is it gone for good? */
	if (!start_timer() || !wait_for_message(c, PATIENCE_MS))
		checks_add(c, FINDING_TIMER_DEAD, 0, 0, 0);
	put_away();
}
