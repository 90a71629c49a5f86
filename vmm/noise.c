/* SPDX-License-Identifier: MIT */
/* `--noise`: what disturbs the VPs of a run on purpose. */
#include "vmm/noise.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "vmm/host_cpus.h"
#include "vmm/machine.h"
#include "vmm/spec.h"

#define LISTED_NS 1000000000u

#define FIELD(member) offsetof(struct noise_spec, member)

static const char *const kind_words[] = {"steal", "burn", "vm", NULL};

static const struct spec_key steal_keys[] = {
	{"duty", SPEC_FRACTION, FIELD(steal.duty_ppm), 1000, 950000, NULL},
	{"period", SPEC_TIME, FIELD(steal.period_ns), 100000, 10000000000, NULL},
	{"jitter", SPEC_FRACTION, FIELD(steal.jitter_ppm), 0, 1000000, NULL},
	{"seed", SPEC_NUMBER, FIELD(steal.seed), 0, INT64_MAX, NULL},
	{"vps", SPEC_LIST, FIELD(steal.vps), 0, UINT16_MAX, NULL}, /* and below their number */
	{"list", SPEC_FLAG, FIELD(steal.list), 0, 0, NULL},
	{NULL, 0, 0, 0, 0, NULL},
};

static const struct spec_key burn_keys[] = {
	{"threads", SPEC_NUMBER, FIELD(burn.threads), 1, 1024, NULL},
	{"cpus", SPEC_LIST, FIELD(burn.cpus), 0, HOST_CPU_MAX, NULL},
	{NULL, 0, 0, 0, 0, NULL},
};

static const struct spec_key vm_keys[] = {
	{"count", SPEC_NUMBER, FIELD(vm.count), 1, 64, NULL},
	{"cpus", SPEC_NUMBER, FIELD(vm.cpus), 1, 64, NULL},
	{NULL, 0, 0, 0, 0, NULL},
};

static const struct {
	const char *what;
	const struct spec_key *keys;
} kinds[] = {
	[NOISE_STEAL] = {"--noise steal", steal_keys},
	[NOISE_BURN] = {"--noise burn", burn_keys},
	[NOISE_VM] = {"--noise vm", vm_keys},
};

static const struct noise_spec defaults = {
	.steal = {.duty_ppm = 300000, .period_ns = 10000000, .jitter_ppm = 1000000, .seed = 1},
	.burn = {.threads = 1},
	.vm = {.count = 1, .cpus = 1},
};

static int check_vps(const struct noise_spec *s, uint32_t vps, struct err *e)
{
	for (size_t i = 0; i < s->steal.vps.count; i++) {
		if (s->steal.vps.id[i] >= vps)
			return err_set(e, EINVAL, "--noise steal: vps: there is no VP %u: 0 to %u",
				       s->steal.vps.id[i], vps - 1);
	}
	return 0;
}

int noise_spec_parse(struct noise_spec *s, const char *text, uint32_t vps, struct err *e)
{
	int kind = spec_word(text, ":", kind_words), ret = 0;
	const char *colon = strchr(text, ':');

	*s = defaults;
	if (kind < 0)
		return err_set(
			e, EINVAL,
			"--noise: '%.40s' is not steal, burn or vm, with ':' before its keys",
			text);
	s->kind = (enum noise_kind)kind;
	if (colon)
		ret = spec_parse(kinds[kind].what, colon + 1, kinds[kind].keys, s, e);
	if (ret == 0)
		ret = check_vps(s, vps, e);
	return ret ? ret : host_cpus_check(&s->burn.cpus, "--noise burn", e);
}

void noise_spec_fini(struct noise_spec *s)
{
	id_list_fini(&s->steal.vps);
	id_list_fini(&s->burn.cpus);
}

/* Neighbours are one group of each kind, in one place. */
static int check_once(const struct noise *n, enum noise_kind kind, struct err *e)
{
	for (unsigned i = 0; i + 1 < n->specs; i++) {
		if (kind != NOISE_STEAL && n->spec[i].kind == kind)
			return err_set(e, EINVAL, "%s is given twice", kinds[kind].what);
	}
	return 0;
}

int noise_init(struct noise *n, const struct vm_config *cfg, uint32_t vps, struct err *e)
{
	int ret = 0;

	*n = (struct noise){0};
	while (ret == 0 && n->specs < cfg->noise_count) {
		struct noise_spec *s = &n->spec[n->specs++];

		ret = noise_spec_parse(s, cfg->noise[n->specs - 1], vps, e);
		if (ret == 0)
			ret = check_once(n, s->kind, e);
	}
	for (unsigned i = 0; ret == 0 && i < n->specs; i++) {
		if (n->spec[i].kind == NOISE_STEAL)
			ret = stealer_add(&n->stealer, &n->spec[i].steal, vps, e);
	}
	return ret;
}

int noise_start(struct machine *m, struct err *e)
{
	struct noise *n = &m->noise;
	int ret = 0;

	n->neighbours.outcome = &m->outcome;
	for (unsigned i = 0; ret == 0 && i < n->specs; i++) {
		const struct noise_spec *s = &n->spec[i];

		if (s->kind == NOISE_BURN)
			ret = neighbours_burn(&n->neighbours, &s->burn, &m->pin.used, e);
		else if (s->kind == NOISE_VM)
			ret = neighbours_run_vms(&n->neighbours, &s->vm, &m->pin.used, e);
	}
	return ret ? ret : stealer_start(&n->stealer, m, e);
}

uint64_t noise_stop(struct noise *n)
{
	stealer_stop(&n->stealer);
	return neighbours_stop(&n->neighbours);
}

void noise_fini(struct noise *n)
{
	stealer_fini(&n->stealer);
	neighbours_fini(&n->neighbours);
	for (unsigned i = 0; i < n->specs; i++)
		noise_spec_fini(&n->spec[i]);
	*n = (struct noise){0};
}

bool noise_wants_list(const struct noise *n)
{
	for (unsigned i = 0; i < n->specs; i++) {
		if (n->spec[i].steal.list)
			return true;
	}
	return false;
}

static void list_vp(const struct steal_spec *s, uint32_t vp, FILE *f)
{
	struct steal_interval iv = steal_interval(s, vp, 0);

	for (uint64_t index = 0; iv.begin_ns < LISTED_NS; iv = steal_interval(s, vp, ++index))
		fprintf(f, "%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", vp, index,
			iv.begin_ns, iv.length_ns);
}

void noise_list(const struct noise *n, uint32_t vps, FILE *f)
{
	fputs("vp\tindex\tbegin_ns\tlength_ns\n", f);
	for (unsigned i = 0; i < n->specs; i++) {
		const struct steal_spec *s = &n->spec[i].steal;

		if (n->spec[i].kind != NOISE_STEAL)
			continue;
		for (uint32_t vp = 0; vp < vps; vp++) {
			if (s->vps.count == 0 || id_list_has(&s->vps, vp))
				list_vp(s, vp, f);
		}
	}
}
