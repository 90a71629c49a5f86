/* SPDX-License-Identifier: MIT */
/* A model of bring-up: what each stage costs, and what has to wait for what. docs/predict.md. */
#ifndef VPUP_BENCH_PREDICT_MODEL_H
#define VPUP_BENCH_PREDICT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Costs in microseconds, in the order in which a VP meets them. "cpu" ones take a host core while they
 * last, the others do not.
 */
#define PREDICT_COSTS_X(X)                                                                      \
	X(KICK, "kick")           /* cpu, boot VP: to start one VP; with full once for all */   \
	X(START, "start")         /* cpu: from the kick to the first instruction */             \
	X(REMOTE, "remote")       /* cpu: more of that, for first threads of further sockets */ \
	X(INIT, "init")           /* cpu: from there to the wait point */                       \
	X(UCODE, "ucode")         /* first thread of each core but the boot VP's */             \
	X(IDENTIFY, "identify")   /* each VP */                                                 \
	X(CALIBRATE, "calibrate") /* each VP, or the first of each further socket */            \
	X(TSCSYNC, "tscsync")     /* the first VP of each further socket */                     \
	X(ONLINE_WORK, "work")    /* each VP */                                                 \
	X(ONLINE, "online")       /* cpu: from there until it says so */                        \
	X(RELEASE, "release")     /* cpu, boot VP: from that to the next VP's turn, or the end */

enum predict_cost {
#define PREDICT_COST_ENUM(id, name) PREDICT_##id,
	PREDICT_COSTS_X(PREDICT_COST_ENUM)
#undef PREDICT_COST_ENUM
		PREDICT_COSTS
};

/* As the guest's smp= has them. */
enum predict_mode {
	PREDICT_SERIAL,
	PREDICT_KICK_FIRST,
	PREDICT_INIT_FIRST,
	PREDICT_FULL,
	PREDICT_HVCALL,
	PREDICT_MODES
};

struct predict_machine {
	enum predict_mode mode;
	uint32_t vps;
	uint32_t sockets; /* VPs are divided among them evenly, as far as that goes */
	uint32_t threads; /* of a core; VPs of one core are neighbours */
	uint32_t cores;   /* of the host, which the "cpu" costs share */
	bool known;       /* lpj=known: who pays for calibration, see above */
	double cost_us[PREDICT_COSTS];
};

const char *predict_cost_name(enum predict_cost c);
const char *predict_mode_name(enum predict_mode m);

/* The mode of that name, or PREDICT_MODES. */
enum predict_mode predict_mode_find(const char *name);

/* Sets *ms to how long the boot VP takes until all others are online. Returns 0 or -ENOMEM. */
int predict_bring_up(const struct predict_machine *m, double *ms);

/* The same of SynIC set-up: serial, or all VPs at once. */
double predict_synic_ms(bool parallel, uint32_t vps, uint32_t cores, double cost_us);

#endif
