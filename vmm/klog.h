/* SPDX-License-Identifier: MIT */
/* What Linux logs about its start: SMP bring-up and calibration, read from its console or /dev/kmsg. */
#ifndef VPUP_VMM_KLOG_H
#define VPUP_VMM_KLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum klog_event {
	KLOG_SMP_BEGIN, /* "smp: Bringing up secondary CPUs ..." */
	KLOG_SMP_BOOT,  /* "x86: Booting SMP configuration:" */
	KLOG_SMP_END,   /* "smp: Brought up 1 node, 16 CPUs" */
	KLOG_INIT,      /* "Run /init as init process" */
	KLOG_EVENTS
};

/* How the boot VP came by its loops per jiffy. */
enum klog_lpj { KLOG_LPJ_UNKNOWN, KLOG_LPJ_PRESET, KLOG_LPJ_TIMER, KLOG_LPJ_MEASURED };

struct klog_mark {
	bool seen;
	bool has_guest_us;
	uint64_t
		host_tsc; /* when the line's end arrived; 0: it did not arrive when it was logged */
	uint64_t guest_us; /* printk's stamp */
};

/* Start with zeroes; klog_fini() frees what it has. */
struct klog {
	struct klog_mark mark[KLOG_EVENTS];
	uint32_t nodes, cpus; /* of KLOG_SMP_END; 0: not told */
	enum klog_lpj lpj_kind;
	uint64_t lpj;        /* of the boot VP; 0: not told */
	double bogomips;     /* of the boot VP */
	double bogomips_sum; /* "Total of N processors activated" */
	double *vp_bogomips; /* [vps] from /proc/cpuinfo, 0 where it told nothing; owned */
	uint32_t vps;
	uint32_t cpuinfo_vp; /* whose lines of /proc/cpuinfo are being read */
};

/* A line that has not ended yet, of one source. Start with zeroes. */
struct klog_line {
	size_t used;
	char text[256]; /* the start of a longer one */
};

/*
 * Takes the next bytes of the log; l belongs to their source. Of marks that come twice the first counts, completed by what only
 * a later one has. tsc is the host's when the bytes arrived; 0 for a log that is read afterwards.
 */
void klog_push(struct klog *k, struct klog_line *l, const uint8_t *data, size_t size, uint64_t tsc);
void klog_fini(struct klog *k);

/* The kernel's HZ, by BogoMIPS = lpj * HZ / 500000; 0: not known. */
unsigned klog_hz(const struct klog *k);

/* Microseconds from the begin of bring-up to its end by printk's stamps. False: not known. */
bool klog_bringup_us(const struct klog *k, uint64_t *us);

#endif
