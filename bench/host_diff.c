/* SPDX-License-Identifier: MIT */
/* Compares the hosts of two results. */
#include "bench/host_diff.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/pairing.h"

#define TSC_TOLERANCE 0.001 /* a kernel that measures its TSC is off by less than that */

/* Facts that must be equal, in words. */
static const struct {
	const char *key;
	const char *words;
} facts[] = {
	{"cpu_model", "CPU models"},
	{"cpus_online", "numbers of CPUs"},
	{"kernel", "host kernels"},
	{"kvm_module", "KVM modules"},
	{"emulated", "ways to run guests (emulated)"},
	{"is_guest", "kinds of host (is_guest)"},
	{"hypervisor", "hypervisors below the host"},
};

static int warn(json_t *warnings, const char *text)
{
	return json_array_append_new(warnings, json_string(text)) ? -ENOMEM : 0;
}

static int warn_values(json_t *warnings, const char *words, const json_t *base, const json_t *new)
{
	char text[2][PARAMS_TEXT_SIZE], line[3 * PARAMS_TEXT_SIZE];

	snprintf(line, sizeof(line), "different %s: %s in BASE, %s in NEW", words,
		 pairing_value_text(base, text[0]), pairing_value_text(new, text[1]));
	return warn(warnings, line);
}

static bool is_known(const json_t *value)
{
	return value && !json_is_null(value);
}

static bool tsc_differs(const json_t *base, const json_t *new)
{
	double a = json_number_value(base), b = json_number_value(new);

	return json_is_number(base) && json_is_number(new) &&
	       fabs(a - b) > TSC_TOLERANCE * fmax(a, b);
}

/* More runnable threads than CPUs, over the last minute of the first run. */
static int warn_busy(json_t *warnings, const char *name, const json_t *host)
{
	const json_t *load = json_array_get(json_object_get(host, "load"), 0);
	double cpus = json_number_value(json_object_get(host, "cpus_online"));
	char line[PARAMS_TEXT_SIZE];

	if (!json_is_number(load) || cpus <= 0 || json_number_value(load) <= cpus)
		return 0;
	snprintf(line, sizeof(line), "the host of %s was busy: load %.2f on %.0f CPUs", name,
		 json_number_value(load), cpus);
	return warn(warnings, line);
}

int host_diff(const json_t *base, const json_t *new, json_t *warnings)
{
	const json_t *a = json_object_get(base, "host"), *b = json_object_get(new, "host");
	const json_t *tsc[2] = {json_object_get(a, "tsc_khz"), json_object_get(b, "tsc_khz")};
	int ret = 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const json_t *ours = json_object_get(b, facts[i].key);
		const json_t *theirs = json_object_get(a, facts[i].key);

		if (is_known(ours) && is_known(theirs) && !json_equal(ours, theirs))
			ret |= warn_values(warnings, facts[i].words, theirs, ours);
	}
	if (tsc_differs(tsc[0], tsc[1]))
		ret |= warn_values(warnings, "TSC frequencies (kHz)", tsc[0], tsc[1]);
	ret |= warn_busy(warnings, "BASE", a) | warn_busy(warnings, "NEW", b);
	return ret ? -ENOMEM : 0;
}
