/* SPDX-License-Identifier: MIT */
/* All state of the guest that is not per VP, in one object. */
#ifndef VPUP_GUEST_KERNEL_H
#define VPUP_GUEST_KERNEL_H

#include <stdint.h>

#include "guest-kernel/apic.h"
#include "guest-kernel/checks.h"
#include "guest-kernel/clock.h"
#include "guest-kernel/conformance/conf.h"
#include "guest-kernel/console.h"
#include "guest-kernel/frames.h"
#include "guest-kernel/hypervisor.h"
#include "guest-kernel/measure.h"
#include "guest-kernel/memory.h"
#include "guest-kernel/options.h"
#include "guest-kernel/pvh.h"
#include "guest-kernel/smp.h"
#include "guest-kernel/synic.h"
#include "guest-kernel/tables.h"
#include "guest-kernel/tick.h"
#include "guest-kernel/topology.h"
#include "guest-kernel/vp.h"

/* The boot VP fills this in; once secondary VPs run they only read it, but for smp.online. */
struct kernel {
	struct console console;
	struct pvh_boot boot;
	struct options options;
	struct apic apic;
	struct hypervisor hypervisor;
	struct clock clock;
	struct memory memory;
	struct tables tables;
	struct vp_table vp_table;
	struct frames frames;
	struct measure measure;
	struct topology topology;
	uint64_t lpj_reference; /* TSC cycles per tick, from the TSC's frequency */
	uint64_t lpj;           /* of VPs that do not measure: that, or a given number */
	uint32_t panic_owner;   /* APIC ID + 1 of the VP that reports its panic; 0: none */
	struct tick tick;
	struct smp smp;
	struct synic synic;
	struct checks checks; /* with checks=on only */
	struct conf conf;     /* with `test=` only */
};

extern struct kernel kernel;

/* Called by entry.S with the address of the PVH start_info and the TSC at the first instruction. */
_Noreturn void kmain(uint64_t start_info, uint64_t entry_tsc);

#endif
