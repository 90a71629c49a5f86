/* SPDX-License-Identifier: MIT */
/* Published bring-up times, with the stage costs that were published with them. */
#include "bench/predict_claims.h"

#include <stddef.h>

/*
 * Linux "x86: Parallel CPU bringup", first version, February 2021: 2 sockets, 96 CPUs at 3.0 GHz. The
 * parallel run took 68 802 688 cycles to kick, 5 178 300 to wait for init and 23 479 546 to bring
 * online: divided by 95. In the serial run's log CPUs 1 to 23 took 65.4 ms, CPUs 24 to 47, the
 * first threads of the other socket, 130.0 ms: what the boot CPU does not spend is the start.
 */
#define CPUS_96(how)                                                                          \
	{                                                                                     \
		.mode = how, .vps = 96, .sockets = 2, .threads = 2, .cores = 96, .cost_us = { \
			[PREDICT_KICK] = 241.4,                                               \
			[PREDICT_START] = 2502,                                               \
			[PREDICT_REMOTE] = 2573,                                              \
			[PREDICT_ONLINE] = 82.4,                                              \
			[PREDICT_RELEASE] = 18.2,                                             \
		}                                                                             \
	}

/*
 * The analysis of that series' version 9, 2023: 112 CPUs on 2 sockets. All are kicked in 49 ms; then
 * one after the other, in 516 ms: microcode 412 (7.5 for each core's first thread), identification
 * 125 us a CPU, TSC sync 20, threads 100 us a CPU, the rest 59. The forecast for siblings alone being
 * serialised was 160 ms.
 */
#define CPUS_112(how)                                                                           \
	{                                                                                       \
		.mode = how, .vps = 112, .sockets = 2, .threads = 2, .cores = 112, .cost_us = { \
			[PREDICT_KICK] = 441.4,                                                 \
			[PREDICT_UCODE] = 7500,                                                 \
			[PREDICT_IDENTIFY] = 125,                                               \
			[PREDICT_TSCSYNC] = 20000,                                              \
			[PREDICT_ONLINE_WORK] = 100,                                            \
			[PREDICT_RELEASE] = 531.5,                                              \
		}                                                                               \
	}

/*
 * Linux "vmbus: concurrent execution of hv_synic_init", 2024: 1780 CPUs, hv_acpi_init from 3 s to 1 s.
 * Nothing but these two: 2 s are the SynICs', and 1 s is neither theirs nor parallel.
 */
#define CPUS_1780(how)                                                \
	{                                                             \
		.mode = how, .vps = 1780, .cores = 1780, .cost_us = { \
			[PREDICT_ONLINE_WORK] = 1123.6                \
		}                                                     \
	}

/*
 * "Pass on the lpj value from host to guest", 2023: 130 ms for 16 VPs with a preset value. A
 * calibration takes 5 rounds of 2 + HZ / 100 ticks, the first one up to a tick less (Linux,
 * init/calibrate.c): 76 to 80 ms at 250 Hz.
 */
#define VPS_16(calibrate)                                                                   \
	{                                                                                   \
		.mode = PREDICT_SERIAL, .vps = 16, .sockets = 1, .threads = 1, .cores = 16, \
		.cost_us = {                                                                \
			[PREDICT_CALIBRATE] = calibrate,                                    \
			[PREDICT_RELEASE] = 130000.0 / 15,                                  \
		}                                                                           \
	}

const struct predict_claim predict_claims[] = {
	{"16 VPs, every VP calibrates", 1300, .machine = VPS_16(78000)},
	{"96 CPUs, serial", 334, .machine = CPUS_96(PREDICT_SERIAL)},
	{"96 CPUs, kicked and initialised first", 31, .machine = CPUS_96(PREDICT_INIT_FIRST)},
	{"112 CPUs, kicked first", 565, .is_fitted = true, .machine = CPUS_112(PREDICT_KICK_FIRST)},
	{"112 CPUs, only siblings serialised", 160, .machine = CPUS_112(PREDICT_INIT_FIRST)},
	{"1780 CPUs, SynICs one by one", 3000, true, true, 1000, CPUS_1780(PREDICT_SERIAL)},
	{"1780 CPUs, SynICs all at once", 1000, true, true, 1000, CPUS_1780(PREDICT_FULL)},
	{.name = NULL},
};

int predict_claim_ms(const struct predict_claim *c, double *ms)
{
	const struct predict_machine *m = &c->machine;
	int ret = 0;

	if (c->is_synic)
		*ms = predict_synic_ms(m->mode == PREDICT_FULL, m->vps, m->cores,
				       m->cost_us[PREDICT_ONLINE_WORK]);
	else
		ret = predict_bring_up(m, ms);
	*ms += c->fixed_ms;
	return ret;
}
