/* SPDX-License-Identifier: MIT */
/* `--noise`: what disturbs the VPs of a run on purpose. docs/noise.md */
#ifndef VPUP_VMM_NOISE_H
#define VPUP_VMM_NOISE_H

#include <stdio.h>

#include "vmm/config.h"
#include "vmm/neighbour.h"
#include "vmm/steal_thread.h"

enum noise_kind { NOISE_STEAL, NOISE_BURN, NOISE_VM };

struct noise_spec {
	enum noise_kind kind;
	struct steal_spec steal;
	struct burn_spec burn;
	struct neighbour_spec vm;
};

struct noise {
	struct noise_spec spec[NOISE_SPECS_MAX];
	unsigned specs;
	struct stealer stealer;
	struct neighbours neighbours;
};

/* Parses one specification for vps VPs. s is for noise_spec_fini() in any case. */
int noise_spec_parse(struct noise_spec *s, const char *text, uint32_t vps, struct err *e);
void noise_spec_fini(struct noise_spec *s);

/* Parses and checks cfg->noise. Failure is the user's to mend; n is for noise_fini() in any case. */
int noise_init(struct noise *n, const struct vm_config *cfg, uint32_t vps, struct err *e);

/* Starts what m->noise holds: m's VPs exist, and none runs. */
int noise_start(struct machine *m, struct err *e);

/* Ends it. Returns the CPU time that neighbours took, in ns. */
uint64_t noise_stop(struct noise *n);
void noise_fini(struct noise *n);

/* Whether a schedule is only to be printed, and its first second, an interval a line. */
bool noise_wants_list(const struct noise *n);
void noise_list(const struct noise *n, uint32_t vps, FILE *f);

#endif
