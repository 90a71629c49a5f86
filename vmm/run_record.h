/* SPDX-License-Identifier: MIT */
/* All that one run leaves behind: host and guest times on one clock, counts, and the outcome. */
#ifndef VPUP_VMM_RUN_RECORD_H
#define VPUP_VMM_RUN_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "vmm/bare_startup.h"
#include "vmm/frames.h"
#include "vmm/klog.h"
#include "vmm/steal_log.h"

/* Host TSC of what happened to one VP; 0: it did not happen. Written by that VP's thread alone. */
struct vp_times {
	uint64_t created_tsc;
	uint64_t thread_tsc;      /* its thread runs */
	uint64_t first_entry_tsc; /* just before its first KVM_RUN */
	uint64_t wake_tsc;        /* KVM_RUN came back with EAGAIN: INIT/SIPI arrived */
	uint64_t first_hv_tsc;    /* first access to a Hyper-V MSR */
	uint64_t exits;           /* returns of KVM_RUN to user space */
};

/* Exits of a VM with nothing behind it: vmm/bare_exit.h. */
#define BARE_BATCHES_MAX 128
struct bare_batches {
	uint32_t count;
	struct {
		uint64_t tsc_cycles;
		uint32_t operations; /* not 0 */
	} batch[BARE_BATCHES_MAX];
};

struct run_record {
	uint64_t start_tsc;      /* first statement of `vpup run` */
	uint64_t exec_cpu_ns;    /* CPU time that the process had used before it */
	uint64_t opened_tsc;     /* options parsed, /dev/kvm open */
	uint64_t vm_tsc;         /* KVM_CREATE_VM is done */
	uint64_t memory_tsc;     /* guest RAM mapped and registered */
	uint64_t vm_created_tsc; /* interrupt controllers too */
	uint64_t devices_tsc;    /* devices made, buses sealed */
	uint64_t loaded_tsc;     /* guest image and tables are in place */
	uint64_t vps_created_tsc;
	bool has_firmware;
	uint64_t end_tsc; /* the run is over: exit, timeout or signal */
	bool invtsc;      /* the guest is shown an invariant TSC */
	uint64_t tsc_khz;
	uint64_t tsc_offset; /* guest TSC = host TSC + tsc_offset, modulo 2^64 */
	uint32_t vps;
	struct vp_times *vp;            /* [vps], owned */
	const struct steal_log *stolen; /* [vps], the machine's; NULL: nothing was to be stolen */
	uint64_t steal_start_tsc;       /* of the schedules; 0: there are none */
	uint64_t neighbour_ns;          /* CPU time that --noise burn and vm took */
	const char
		*verdict; /* finding_verdict(); NULL: nothing was to go wrong, nothing was found */
	struct guest_trace guest;
	struct bare_batches bare;
	struct klog klog;          /* of a Linux guest */
	uint64_t firmware_end_tsc; /* last use of fw_cfg; 0: none */
	uint64_t hv_clock_tsc; /* the boot VP turned the reference TSC page on: 0 of Linux's log */
	uint64_t init_tsc;     /* the /init of --exec was ready */
	struct bare_startup floor; /* all 0: not measured */
	uint64_t rss_kib;          /* VMM without guest RAM; 0: not measured */
	double mark_ms;            /* of a VMM measured from outside; 0: it is none */
};

/* Host TSC of a guest TSC. */
static inline uint64_t run_host_tsc(const struct run_record *r, uint64_t guest_tsc)
{
	return guest_tsc - r->tsc_offset;
}

/* Milliseconds from a to b on the TSC; 0 when either is 0 or b is before a. */
double run_ms(const struct run_record *r, uint64_t a_tsc, uint64_t b_tsc);

#endif
