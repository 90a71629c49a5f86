/* SPDX-License-Identifier: MIT */
/* What a run's counters say about the guest: things that cost it time, and what to do about them. */
#include "vmm/hints.h"

#include <inttypes.h>
#include <string.h>

#include "vmm/counters.h"
#include "vmm/hv_host.h"

#define HV_MSRS_MAX    128
#define OFTEN_A_SECOND 1000.0
#define MOST           0.5

struct facts {
	const struct machine *m;
	double seconds;
	uint64_t exits;
	struct hv_msr_count msr[HV_MSRS_MAX];
	size_t msrs;
};

/* The counters of a Hyper-V MSR (0: of those that are not there), or NULL if it was not used. */
static const struct hv_msr_count *find_msr(const struct facts *f, uint32_t msr)
{
	for (size_t i = 0; i < f->msrs; i++)
		if (f->msr[i].msr == msr)
			return &f->msr[i];
	return NULL;
}

static const char *reference_page_state(const struct facts *f)
{
	const struct hv_msr_count *page = find_msr(f, HV_X64_MSR_REFERENCE_TSC);

	if (!page)
		return "the guest never asked for the reference TSC page";
	if (page->writes == page->faults)
		return "the reference TSC page is off (--hv +time)";
	return "it does so although it has the reference TSC page";
}

static void hint_reference_counter(const struct facts *f, FILE *out)
{
	const struct hv_msr_count *c = find_msr(f, HV_X64_MSR_TIME_REF_COUNT);

	if (c && (double)c->reads > OFTEN_A_SECOND * f->seconds)
		fprintf(out, "hint: TIME_REF_COUNT was read %.0f times a second: %s\n",
			(double)c->reads / f->seconds, reference_page_state(f));
}

static void hint_absent_msrs(const struct facts *f, FILE *out)
{
	const struct hv_msr_count *c = find_msr(f, 0);

	if (c && c->faults)
		fprintf(out,
			"hint: %" PRIu64
			" accesses to Hyper-V MSRs that are off or unknown gave #GP: see "
			"'--hv help'\n",
			c->faults);
}

static void hint_console(const struct facts *f, FILE *out)
{
	const struct bus *b = &f->m->pio;

	for (unsigned i = 0; i < b->count; i++) {
		uint64_t writes = bus_count(b, i).writes;

		if (strcmp(b->range[i].name, "COM1") == 0 &&
		    (double)writes > MOST * (double)f->exits)
			fprintf(out,
				"hint: %.0f %% of the exits are console output, a byte each: "
				"'quiet' on "
				"the guest's command line avoids them\n",
				100.0 * (double)writes / (double)f->exits);
	}
}

static void hint_nobody(const struct facts *f, FILE *out)
{
	struct io_count c = bus_count(&f->m->pio, f->m->pio.count);
	double rate = (double)(c.reads + c.writes) / f->seconds;

	if (rate > OFTEN_A_SECOND)
		fprintf(out, "hint: %.0f accesses a second went to ports that nobody answers\n",
			rate);
}

void hints_print(const struct machine *m, FILE *out)
{
	static void (*const hints[])(const struct facts *f,
				     FILE *out) = {hint_reference_counter, hint_absent_msrs,
						   hint_console, hint_nobody};
	struct facts f = {.m = m};

	f.seconds = run_ms(m->record, m->vp[0].times.first_entry_tsc, m->record->end_tsc) / 1000.0;
	if (f.seconds <= 0)
		return;
	for (uint32_t reason = 0; reason < EXIT_REASONS; reason++)
		f.exits += counters_exits(m, reason);
	if (m->hv)
		f.msrs = hv_msr_counts(hv_host_partition(m->hv), f.msr, HV_MSRS_MAX);
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		hints[i](&f, out);
}
