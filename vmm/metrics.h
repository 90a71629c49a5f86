/* SPDX-License-Identifier: MIT */
/* The numbers that one run comes down to. docs/results.md defines each of them. */
#ifndef VPUP_VMM_METRICS_H
#define VPUP_VMM_METRICS_H

#include <stdbool.h>

#include "vmm/guest_view.h"
#include "vmm/run_record.h"

/* Of each stage: time with a VP in it, sum over the VPs, and first entry to last exit. */
#define STAGE_METRICS_X(X, ID, name)                          \
	X(STAGE_##ID##_MS, "stage." name "_ms", "ms")         \
	X(STAGE_##ID##_SUM_MS, "stage." name "_sum_ms", "ms") \
	X(STAGE_##ID##_SPAN_MS, "stage." name "_span_ms", "ms")

/* Name and unit as in result files. The order is the order in which they are written and shown. */
#define METRICS_X(X)                                                    \
	X(STARTUP_MS, "startup_ms", "ms")                               \
	X(CREATE_MS, "create_ms", "ms")                                 \
	X(STARTUP_OPEN_MS, "startup.open_ms", "ms")                     \
	X(STARTUP_VM_MS, "startup.vm_ms", "ms")                         \
	X(STARTUP_MEMORY_MS, "startup.memory_ms", "ms")                 \
	X(STARTUP_IRQCHIP_MS, "startup.irqchip_ms", "ms")               \
	X(STARTUP_DEVICES_MS, "startup.devices_ms", "ms")               \
	X(STARTUP_LOAD_MS, "startup.load_ms", "ms")                     \
	X(STARTUP_VPS_MS, "startup.vps_ms", "ms")                       \
	X(STARTUP_THREAD_MS, "startup.thread_ms", "ms")                 \
	X(STARTUP_ENTRY_MS, "startup.entry_ms", "ms")                   \
	X(STARTUP_GUEST_MS, "startup.guest_ms", "ms")                   \
	X(STARTUP_BRINGUP_MS, "startup.bringup_ms", "ms")               \
	X(STARTUP_HOST_MS, "startup.host_ms", "ms")                     \
	X(STARTUP_ALL_THREADS_MS, "startup.all_threads_ms", "ms")       \
	X(STARTUP_EXEC_CPU_MS, "startup.exec_cpu_ms", "ms")             \
	X(STARTUP_FLOOR_MS, "startup.floor_ms", "ms")                   \
	X(STARTUP_FLOOR_HOST_MS, "startup.floor_host_ms", "ms")         \
	X(STARTUP_OVER_FLOOR, "startup_over_floor", "times")            \
	X(STARTUP_HOST_OVER_FLOOR, "startup.host_over_floor", "times")  \
	X(SMP_BRINGUP_MS, "smp_bringup_ms", "ms")                       \
	STAGE_METRICS_X(X, KICK, "kick")                                \
	STAGE_METRICS_X(X, INIT, "init")                                \
	STAGE_METRICS_X(X, CALIBRATE, "calibrate")                      \
	STAGE_METRICS_X(X, ONLINE, "online")                            \
	STAGE_METRICS_X(X, WAIT, "wait")                                \
	STAGE_METRICS_X(X, UCODE, "ucode")                              \
	STAGE_METRICS_X(X, SIBLING, "sibling")                          \
	STAGE_METRICS_X(X, IDENTIFY, "identify")                        \
	STAGE_METRICS_X(X, TSCSYNC, "tscsync")                          \
	STAGE_METRICS_X(X, ONLINE_WORK, "online_work")                  \
	X(STAGE_KICK_CYCLES, "stage.kick_cycles", "cycles")             \
	X(STAGE_INIT_CYCLES, "stage.init_cycles", "cycles")             \
	X(STAGE_CALIBRATE_CYCLES, "stage.calibrate_cycles", "cycles")   \
	X(STAGE_ONLINE_CYCLES, "stage.online_cycles", "cycles")         \
	X(SYNIC_INIT_MS, "synic_init_ms", "ms")                         \
	X(SYNIC_VP_US, "synic_vp_us", "us")                             \
	X(SYNIC_VP_MAX_US, "synic_vp_max_us", "us")                     \
	X(CALIBRATIONS, "calibrations", "VPs")                          \
	X(LPJ_ERROR_PPM, "lpj_error_ppm", "ppm")                        \
	X(LPJ_MIN, "lpj_min", "cycles")                                 \
	X(LPJ_MAX, "lpj_max", "cycles")                                 \
	X(EXITS, "exits", "exits")                                      \
	X(RSS_KIB, "rss_kib", "KiB")                                    \
	X(MARK_MS, "mark_ms", "ms")                                     \
	X(STOLEN_MS, "stolen_ms", "ms")                                 \
	X(NEIGHBOUR_CPU_MS, "neighbour_cpu_ms", "ms")                   \
	X(COST_BARE_MSR_US, "cost.bare_msr_us", "us")                   \
	X(COST_MSR_OVER_BARE, "cost.msr_over_bare", "times")            \
	X(COST_MSR_READ_US, "cost.msr_read_us", "us")                   \
	X(COST_MSR_WRITE_US, "cost.msr_write_us", "us")                 \
	X(COST_PORT_OUT_US, "cost.port_out_us", "us")                   \
	X(COST_DEBUGCON_OUT_US, "cost.debugcon_out_us", "us")           \
	X(COST_HYPERCALL_UNKNOWN_US, "cost.hypercall_unknown_us", "us") \
	X(COST_HYPERCALL_US, "cost.hypercall_us", "us")                 \
	X(COST_IPI_LAPIC_US, "cost.ipi_lapic_us", "us")                 \
	X(COST_IPI_HYPERCALL_US, "cost.ipi_hypercall_us", "us")         \
	X(COST_MESSAGE_US, "cost.message_us", "us")                     \
	X(COST_ECHO_US, "cost.echo_us", "us")                           \
	X(TIMER_DIRECT_LATE_US, "timer.direct_late_us", "us")           \
	X(TIMER_DIRECT_LATE_P99_US, "timer.direct_late_p99_us", "us")   \
	X(TIMER_MESSAGE_LATE_US, "timer.message_late_us", "us")         \
	X(TIMER_MESSAGE_LATE_P99_US, "timer.message_late_p99_us", "us")

enum metric {
#define METRIC_ENUM(id, name, unit) METRIC_##id,
	METRICS_X(METRIC_ENUM)
#undef METRIC_ENUM
		METRIC_COUNT
};

/* What was not measured is not there: it has no value, not even 0. */
struct metrics {
	bool have[METRIC_COUNT];
	double value[METRIC_COUNT];
};

static inline void metric_set(struct metrics *m, enum metric id, double value)
{
	m->have[id] = true;
	m->value[id] = value;
}

const char *metric_name(enum metric id);

/* The unit of a metric in a result file; "" for a name that this version does not know. */
const char *metric_unit(const char *name);

/*
 * Computes all that r allows. Numbers from the guest count only if its trace is complete; view has
 * r->vps entries, or is NULL. Returns 0 or -ENOMEM.
 */
int metrics_compute(struct metrics *m, const struct run_record *r, const struct vp_view *view);

/*
 * Quantile q in [0, 1] of n values, n not 0 (vmm/quantile.h). Both sort the values.
 */
double metrics_quantile(double *value, size_t n, double q);
double metrics_median(double *value, size_t n);

/*
 * TSC cycles per tick that are right for this run: tsc_khz * 1000 / hz in integers, with the
 * host's idea of the frequency and the guest's hz. 0: unknown.
 */
uint64_t metrics_lpj_reference(const struct run_record *r);

/*
 * Host TSC of the moment when the guest saw its last VP online ("Brought up"). 0: not known, or
 * not within the run, as a guest may claim anything.
 */
uint64_t metrics_all_online_tsc(const struct run_record *r);

#endif
