/* SPDX-License-Identifier: MIT */
/* `--fault`: what it takes, and what firmware tables, CPUID and command line say then. */
#include "vmm/fault.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"
#include "vmm/spec.h"

/* A guest that misses a VP need not wait as long for it as one that is to be measured. */
#define GUEST_CHECKS "checks=on wait_ms=1000"
#define GUEST_STIMER " stimer_first=on"

#define FIELD(member) offsetof(struct fault, member)
#define NO_KEY                         \
	{                              \
		NULL, 0, 0, 0, 0, NULL \
	}
#define VPS                                                      \
	{                                                        \
		"vp", SPEC_LIST, FIELD(vps), 0, UINT16_MAX, NULL \
	}

static const char *const kind_words[] = {
	[FAULT_SIPI_DELAY] = "sipi-delay", [FAULT_SIPI_DROP] = "sipi-drop",
	[FAULT_TSC_SKEW] = "tsc-skew",     [FAULT_SAME_APIC_ID] = "same-apicid",
	[FAULT_NO_PIT] = "no-pit",         [FAULT_STIMER_BEFORE_SIMP] = "stimer-before-simp",
	[FAULT_TSC_LIE] = "tsc-freq-lie",  [FAULT_APIC_TIMER_LIE] = "apic-timer-lie",
	[FAULT_APIC_TIMER_LIE + 1] = NULL,
};

static const char *const view_words[] = {
	[FAULT_VIEW_BOTH] = "both",
	[FAULT_VIEW_TABLES] = "tables",
	[FAULT_VIEW_CPUID] = "cpuid",
	NULL,
};

static const struct spec_key delay_keys[] = {
	{"sipi-delay", SPEC_TIME, FIELD(time_ns), 1000, 600000000000, NULL}, VPS, NO_KEY};

static const struct spec_key drop_keys[] = {{"sipi-drop", SPEC_FLAG, FIELD(flag), 0, 0, NULL},
					    {"for", SPEC_TIME, FIELD(time_ns), 1000, 600000000000,
					     NULL},
					    VPS,
					    NO_KEY};

static const struct spec_key skew_keys[] = {
	{"tsc-skew", SPEC_TIME, FIELD(time_ns), -3600000000000, 3600000000000, NULL}, VPS, NO_KEY};

static const struct spec_key same_keys[] = {{"same-apicid", SPEC_FLAG, FIELD(flag), 0, 0, NULL},
					    {"as", SPEC_NUMBER, FIELD(as), 0, UINT16_MAX, NULL},
					    {"in", SPEC_CHOICE, FIELD(view), 0, 0, view_words},
					    VPS,
					    NO_KEY};

static const struct spec_key pit_keys[] = {{"no-pit", SPEC_FLAG, FIELD(flag), 0, 0, NULL}, NO_KEY};

static const struct spec_key stimer_keys[] = {{"stimer-before-simp", SPEC_FLAG, FIELD(flag), 0, 0,
					       NULL},
					      NO_KEY};

static const struct spec_key tsc_lie_keys[] = {{"tsc-freq-lie", SPEC_FRACTION, FIELD(ppm), -500000,
						1000000, NULL},
					       NO_KEY};

static const struct spec_key timer_lie_keys[] = {{"apic-timer-lie", SPEC_FRACTION, FIELD(ppm),
						  -500000, 1000000, NULL},
						 NO_KEY};

static const struct spec_key *const kind_keys[] = {
	[FAULT_SIPI_DELAY] = delay_keys, [FAULT_SIPI_DROP] = drop_keys,
	[FAULT_TSC_SKEW] = skew_keys,    [FAULT_SAME_APIC_ID] = same_keys,
	[FAULT_NO_PIT] = pit_keys,       [FAULT_STIMER_BEFORE_SIMP] = stimer_keys,
	[FAULT_TSC_LIE] = tsc_lie_keys,  [FAULT_APIC_TIMER_LIE] = timer_lie_keys,
};

static int unknown_kind(const char *text, struct err *e)
{
	char word[32];
	const char *near;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "=,"), text);
	near = cli_suggest(word, kind_words);
	if (near)
		return err_set(e, EINVAL, "--fault: unknown fault '%s'; did you mean '%s'?", word,
			       near);
	return err_set(e, EINVAL,
		       "--fault: unknown fault '%s': there are sipi-delay, sipi-drop, tsc-skew, "
		       "same-apicid, no-pit, stimer-before-simp, tsc-freq-lie, apic-timer-lie",
		       word);
}

static int check_vps(const struct fault *f, const char *what, uint32_t vps, struct err *e)
{
	bool boots = f->kind == FAULT_SIPI_DELAY || f->kind == FAULT_SIPI_DROP;

	for (size_t i = 0; i < f->vps.count; i++) {
		if (f->vps.id[i] >= vps)
			return err_set(e, EINVAL, "%s: there is no VP %u: 0 to %u", what,
				       f->vps.id[i], vps - 1);
		if (f->vps.id[i] == 0 && boots)
			return err_set(e, EINVAL, "%s: VP 0 boots and gets no SIPI", what);
	}
	if (f->kind != FAULT_SAME_APIC_ID)
		return 0;
	if (f->vps.count != 1)
		return err_set(e, EINVAL, "%s: it takes vp=N, one VP", what);
	if (f->as >= vps)
		return err_set(e, EINVAL, "%s: as: there is no VP %u: 0 to %u", what,
			       (uint32_t)f->as, vps - 1);
	if (f->as == f->vps.id[0])
		return err_set(e, EINVAL, "%s: VP %u has its own APIC ID anyway: as=OTHER", what,
			       f->vps.id[0]);
	return 0;
}

int fault_parse(struct fault *f, const char *text, uint32_t vps, struct err *e)
{
	int kind = spec_word(text, "=,", kind_words);
	char what[40];
	int ret;

	*f = (struct fault){0};
	if (kind < 0)
		return unknown_kind(text, e);
	f->kind = (enum fault_kind)kind;
	snprintf(what, sizeof(what), "--fault %s", kind_words[kind]);
	ret = spec_parse(what, text, kind_keys[kind], f, e);
	return ret ? ret : check_vps(f, what, vps, e);
}

void fault_fini(struct fault *f)
{
	id_list_fini(&f->vps);
}

/* t as it is, but for the APIC ID of one VP. */
static int show_other_id(struct topology *shown, const struct topology *t, const struct fault *f)
{
	if (!shown->vp) {
		*shown = *t;
		shown->vp = malloc(t->vps * sizeof(*shown->vp));
		if (!shown->vp)
			return -ENOMEM;
		memcpy(shown->vp, t->vp, t->vps * sizeof(*shown->vp));
	}
	shown->vp[f->vps.id[0]].apic_id = t->vp[f->as].apic_id;
	return 0;
}

static int show_other_ids(struct faults *f, const struct topology *t)
{
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < f->count; i++) {
		const struct fault *x = &f->fault[i];

		if (x->kind != FAULT_SAME_APIC_ID)
			continue;
		if (x->view != FAULT_VIEW_CPUID)
			ret = show_other_id(&f->tables, t, x);
		if (ret == 0 && x->view != FAULT_VIEW_TABLES)
			ret = show_other_id(&f->cpuid, t, x);
	}
	return ret;
}

/* The bundled guest is to look for what is wrong. What the user says comes later, and so wins. */
static int make_append(struct faults *f, const struct vm_config *cfg)
{
	if (cfg->kernel)
		return 0;
	if (asprintf(&f->append, "%s%s %s", GUEST_CHECKS,
		     faults_find(f, FAULT_STIMER_BEFORE_SIMP) ? GUEST_STIMER : "",
		     cfg->append) < 0) {
		f->append = NULL;
		return -ENOMEM;
	}
	return 0;
}

int faults_init(struct faults *f, const struct vm_config *cfg, const struct topology *t,
		struct err *e)
{
	bool user = cfg->hyperv == HYPERV_USER;
	int ret = 0;

	*f = (struct faults){0};
	if (cfg->fault_count == 0)
		return 0;
	while (ret == 0 && f->count < cfg->fault_count) {
		f->count++;
		ret = fault_parse(&f->fault[f->count - 1], cfg->fault[f->count - 1], t->vps, e);
	}
	if (ret)
		return ret;
	if (!user && (faults_find(f, FAULT_TSC_LIE) || faults_find(f, FAULT_APIC_TIMER_LIE)))
		return err_set(e, EINVAL,
			       "--fault tsc-freq-lie and apic-timer-lie are told by vpup's own "
			       "Hyper-V: they need --hyperv user");
	if (cfg->kernel && faults_find(f, FAULT_STIMER_BEFORE_SIMP))
		return err_set(e, EINVAL,
			       "--fault stimer-before-simp is something that the bundled guest "
			       "does: it takes no kernel");
	if (show_other_ids(f, t) || make_append(f, cfg))
		return err_set(e, ENOMEM, "out of memory");
	return 0;
}

void faults_fini(struct faults *f)
{
	for (unsigned i = 0; i < f->count; i++)
		fault_fini(&f->fault[i]);
	free(f->tables.vp);
	free(f->cpuid.vp);
	free(f->append);
	*f = (struct faults){0};
}

const struct fault *faults_find(const struct faults *f, enum fault_kind kind)
{
	for (unsigned i = 0; i < f->count; i++) {
		if (f->fault[i].kind == kind)
			return &f->fault[i];
	}
	return NULL;
}

uint64_t faults_lie(const struct faults *f, enum fault_kind kind, uint64_t val)
{
	const struct fault *lie = faults_find(f, kind);

	if (!lie)
		return val;
	return (uint64_t)((__int128)val + (__int128)val * lie->ppm / 1000000);
}
