/* SPDX-License-Identifier: MIT */
/* `--fault`: what goes wrong in a bring-up on purpose. docs/faults.md */
#ifndef VPUP_VMM_FAULT_H
#define VPUP_VMM_FAULT_H

#include <stdbool.h>

#include "vmm/config.h"
#include "vmm/id_list.h"
#include "vmm/topology.h"

enum fault_kind {
	FAULT_SIPI_DELAY,
	FAULT_SIPI_DROP,
	FAULT_TSC_SKEW,
	FAULT_SAME_APIC_ID,
	FAULT_NO_PIT,
	FAULT_STIMER_BEFORE_SIMP,
	FAULT_TSC_LIE,
	FAULT_APIC_TIMER_LIE,
};

/* Who is told the wrong APIC ID. */
enum fault_view { FAULT_VIEW_BOTH, FAULT_VIEW_TABLES, FAULT_VIEW_CPUID };

struct fault {
	enum fault_kind kind;
	uint64_t flag;      /* of kinds that have no value */
	struct id_list vps; /* empty: all but the boot VP */
	int64_t time_ns;    /* delay, skew; FAULT_SIPI_DROP: for so long, 0: always */
	int64_t ppm;        /* lies */
	uint64_t as;        /* FAULT_SAME_APIC_ID: the VP whose ID is shown */
	uint64_t view;      /* enum fault_view */
};

struct faults {
	struct fault fault[FAULTS_MAX];
	unsigned count;
	struct topology tables; /* as firmware tables and CPUID show it; no vp: as it is */
	struct topology cpuid;
	char *append; /* the bundled guest's command line, owned; NULL: as it was given */
};

struct machine;
struct vp;

/* Parses one specification for vps VPs. f is for fault_fini() in any case. */
int fault_parse(struct fault *f, const char *text, uint32_t vps, struct err *e);
void fault_fini(struct fault *f);

/*
 * Parses and checks cfg->fault for the topology t, which must outlive f. Failure is the user's to
 * mend; f is for faults_fini() in any case.
 */
int faults_init(struct faults *f, const struct vm_config *cfg, const struct topology *t,
		struct err *e);
void faults_fini(struct faults *f);

/* The topology that firmware tables or CPUID are to show; t is the true one. */
static inline const struct topology *faults_shown(const struct topology *shown,
						  const struct topology *t)
{
	return shown->vp ? shown : t;
}

/* The first fault of this kind, or NULL. */
const struct fault *faults_find(const struct faults *f, enum fault_kind kind);

/* val, as a lie of this kind has it. */
uint64_t faults_lie(const struct faults *f, enum fault_kind kind, uint64_t val);

/* Skews the TSCs that are to be skewed. The VPs exist, and none runs. */
int faults_skew_tsc(struct machine *m, struct err *e);

/*
 * On the VP's own thread, when INIT or SIPI has woken it. Returns false if it is not to run at all,
 * after an error with e set.
 */
bool faults_on_wake(struct vp *vp, struct err *e);

#endif
