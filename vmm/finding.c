/* SPDX-License-Identifier: MIT */
/* What the guest found wrong with its machine, and the verdict on a run that was to go wrong. */
#include "vmm/finding.h"

#include <inttypes.h>
#include <stdio.h>

#include "guest-kernel/abi/exit.h"

static const struct finding_kind kinds[] = {
#define FINDING_KIND(id, number, name, unit, fatal) {number, fatal, name, unit},
	FINDINGS_X(FINDING_KIND)
#undef FINDING_KIND
};

const struct finding_kind *finding_kind(uint32_t id)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].id == id)
			return &kinds[i];
	}
	return NULL;
}

void finding_text(const struct trace_finding *f, char text[FINDING_TEXT_SIZE])
{
	const struct finding_kind *k = finding_kind(f->what);

	if (!k)
		snprintf(text, FINDING_TEXT_SIZE, "finding %" PRIu32 " VP %" PRIu32, f->what,
			 f->vp);
	else if (!k->unit[0])
		snprintf(text, FINDING_TEXT_SIZE, "%s VP %" PRIu32, k->name, f->vp);
	else
		snprintf(text, FINDING_TEXT_SIZE, "%s VP %" PRIu32 " %" PRId64 " %s", k->name,
			 f->vp, f->value, k->unit);
}

const char *finding_verdict(const struct outcome *o, const struct guest_trace *t)
{
	switch (o->kind) {
	case OUTCOME_EXIT:
		if (o->code == GUEST_EXIT_PANIC)
			return "crash";
		if (o->code != GUEST_EXIT_OK)
			return "failed";
		return t->finding_count ? "noticed" : "ok";
	case OUTCOME_RESET:
		return "reset";
	case OUTCOME_OFF:
		return "off";
	case OUTCOME_CRASH:
		return "crash";
	case OUTCOME_TIMEOUT:
		return "timeout";
	default: /* somebody else ended the run: a signal, a user, the host */
		return "ended";
	}
}

void finding_verdict_line(const char *verdict, const struct guest_trace *t, char *line, size_t size)
{
	size_t used = (size_t)snprintf(line, size, "verdict: %s", verdict);

	for (size_t i = 0; i < t->finding_count && used < size; i++) {
		char text[FINDING_TEXT_SIZE];

		finding_text(&t->finding[i], text);
		used += (size_t)snprintf(line + used, size - used, "%s%s", i ? "; " : ": ", text);
	}
}
