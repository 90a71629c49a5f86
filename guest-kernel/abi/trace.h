/* SPDX-License-Identifier: MIT */
/*
 * Trace frames, from the bundled guest to whoever reads its debug console.
 *
 * A frame is a struct trace_frame and its payload. Frames may stand in a stream of other bytes: a
 * reader looks for TRACE_MAGIC and checks `check`. All fields are little-endian. Numbers of types
 * and events are never reused; structs grow only at their end, and a reader takes what `size_bytes`
 * and `count` say is there.
 */
#ifndef VPUP_ABI_TRACE_H
#define VPUP_ABI_TRACE_H

#include <stddef.h>
#include <stdint.h>

#define TRACE_MAGIC   0x52545056u /* "VPTR" */
#define TRACE_VERSION 1

/* Sizes of the structs' first version, which a reader takes too: what is not there is zero. */
#define TRACE_INFO_SIZE_1 88
#define TRACE_VP_SIZE_1   32

enum trace_type {
	TRACE_INFO = 1,   /* one struct trace_info */
	TRACE_VPS = 2,    /* count struct trace_vp */
	TRACE_EVENTS = 3, /* count struct trace_event */
	TRACE_END = 4,    /* no payload; seq says how many frames went before */
	TRACE_TAP = 5,    /* count lines of printable ASCII, each with its \n: what tests found */
	TRACE_COSTS = 6,  /* count struct trace_cost */
	TRACE_FINDINGS = 16, /* count struct trace_finding: abi/findings.h */
};

struct trace_frame {
	uint32_t magic;
	uint16_t version;
	uint16_t type;       /* enum trace_type */
	uint32_t size_bytes; /* of the payload */
	uint32_t count;      /* records in the payload */
	uint32_t seq;        /* 0, 1, 2, ... */
	uint32_t check;      /* trace_frame_check() */
};

static inline uint32_t trace_frame_check(const struct trace_frame *f)
{
	return ~(f->magic ^ ((uint32_t)f->version | (uint32_t)f->type << 16) ^ f->size_bytes ^
		 f->count << 1 ^ f->seq << 2);
}

/* Which hypervisor the guest identified, and where it found its VPs. */
enum trace_hypervisor {
	TRACE_HV_NONE = 0,
	TRACE_HV_HYPERV = 1,
	TRACE_HV_KVM = 2,
	TRACE_HV_OTHER = 3
};
enum trace_tables { TRACE_TABLES_NONE = 0, TRACE_TABLES_ACPI = 1, TRACE_TABLES_FDT = 2 };
enum trace_smp {
	TRACE_SMP_SERIAL = 1,
	TRACE_SMP_FULL = 2,
	TRACE_SMP_KICK = 3,
	TRACE_SMP_INIT = 4,
	TRACE_SMP_HVCALL = 5,
};
enum trace_lpj {
	TRACE_LPJ_CALIBRATE = 1,
	TRACE_LPJ_FINE = 2,
	TRACE_LPJ_PRESET = 3,
	TRACE_LPJ_KNOWN = 4,
	TRACE_LPJ_GIVEN = 5,
};
enum trace_synic { TRACE_SYNIC_OFF = 0, TRACE_SYNIC_SERIAL = 1, TRACE_SYNIC_PARALLEL = 2 };
enum trace_tsc_source {
	TRACE_TSC_HYPERV = 1, /* HV_X64_MSR_TSC_FREQUENCY */
	TRACE_TSC_CPUID = 2,  /* leaf 0x15 */
	TRACE_TSC_KVM = 3,    /* kvmclock's multiplier */
	TRACE_TSC_PIT = 4,    /* measured against the 8254 */
};

struct trace_info {
	uint32_t vps_found;
	uint32_t vps_online;
	uint32_t nodes;
	uint32_t hz;
	uint32_t smp;        /* enum trace_smp */
	uint32_t lpj;        /* enum trace_lpj */
	uint32_t tables;     /* enum trace_tables */
	uint32_t hypervisor; /* enum trace_hypervisor */
	uint32_t tsc_source; /* enum trace_tsc_source */
	uint32_t apic_mode;  /* 1 xAPIC, 2 x2APIC */
	uint64_t tsc_khz;
	uint64_t apic_timer_hz;
	uint64_t entry_tsc;     /* first instruction of the boot VP */
	uint64_t smp_begin_tsc; /* "Bringing up secondary CPUs" */
	uint64_t smp_end_tsc;   /* "Brought up" */
	uint64_t lpj_reference; /* tsc_khz * 1000 / hz */

	/* Not there in the first version */
	uint32_t synic;    /* enum trace_synic */
	uint32_t flags;    /* enum trace_info_flag */
	uint32_t packages; /* with VPs in them; 0: not looked for */
	uint32_t ucode_us; /* the stand-in costs of a VP, as they were asked for */
	uint32_t identify_us;
	uint32_t tscsync_us;
	uint32_t online_us;
	uint32_t reserved;
	uint64_t lpj_given;       /* with TRACE_LPJ_GIVEN */
	uint64_t synic_begin_tsc; /* the boot VP begins to have SynICs set up; 0: it did not */
	uint64_t synic_end_tsc;   /* all of them are */
};

enum trace_info_flag {
	TRACE_INFO_INVARIANT_TSC = 1, /* CPUID says so; looked for with TRACE_LPJ_KNOWN alone */
	TRACE_INFO_TOPOLOGY_ODD = 2,  /* CPUID's cores and packages contradict the tables' nodes */
};

struct trace_vp {
	uint32_t vp;      /* 0 is the boot VP; the others in table order */
	uint32_t apic_id; /* as the VP itself reads it */
	uint32_t node;
	uint32_t online; /* 1, or 0: it never came */
	uint32_t hv_vp_index;
	uint32_t lpj_dropped; /* calibration intervals that were thrown away */
	uint64_t lpj;         /* TSC cycles per tick */

	/* Not there in the first version */
	uint32_t flags;   /* enum trace_vp_flag */
	uint32_t package; /* its first VP; 0 too where packages were not looked for */
	uint32_t core;    /* likewise */
	uint32_t reserved;
};

enum trace_vp_flag {
	TRACE_VP_MEASURED_LPJ = 1, /* on this VP, against the tick */
};

/*
 * Stage marks.
 * KICK: the boot VP sends INIT/SIPI to this VP, or to all, or starts it by hypercall. START: the VP's
 * first instruction. INIT: in long mode, on its own stack, tables and local APIC set up. CALIBRATE,
 * CALIBRATED: its calibration begins and ends. ONLINE: it told the boot VP that it is there.
 * WAIT, RELEASED: it waits for its turn, with smp=kick between START and INIT, with smp=init after
 * INIT.
 * The stand-in costs each have a beginning and an end: microcode and identification before INIT,
 * TSC synchronisation and the rest of going online after CALIBRATED. SIBLING: a core's second thread
 * waits while the first one loads the microcode.
 * SYNIC: its SynIC and synthetic timer are set up, once all VPs are online.
 */
#define TRACE_EVENTS_X(X)         \
	X(VP_KICK, 1)             \
	X(VP_START, 2)            \
	X(VP_INIT, 3)             \
	X(VP_CALIBRATE, 4)        \
	X(VP_CALIBRATED, 5)       \
	X(VP_ONLINE, 6)           \
	X(VP_WAIT, 7)             \
	X(VP_RELEASED, 8)         \
	X(VP_UCODE, 9)            \
	X(VP_UCODE_END, 10)       \
	X(VP_SIBLING, 11)         \
	X(VP_SIBLING_END, 12)     \
	X(VP_IDENTIFY, 13)        \
	X(VP_IDENTIFY_END, 14)    \
	X(VP_TSCSYNC, 15)         \
	X(VP_TSCSYNC_END, 16)     \
	X(VP_ONLINE_WORK, 17)     \
	X(VP_ONLINE_WORK_END, 18) \
	X(VP_SYNIC, 19)           \
	X(VP_SYNIC_END, 20)

#define TRACE_VP_EVENTS_END 21 /* events of a VP have numbers below this */

enum trace_event_id {
#define TRACE_EVENT_ENUM(name, number) TRACE_##name = number,
	TRACE_EVENTS_X(TRACE_EVENT_ENUM)
#undef TRACE_EVENT_ENUM
};

struct trace_event {
	uint64_t tsc; /* guest TSC */
	uint32_t vp;
	uint16_t event; /* enum trace_event_id */
	uint16_t reserved;
};

/*
 * What measure=exits times. An unknown hypercall is refused for its code alone; NotifyLongSpinWait
 * is one that is served. PORT_OUT writes to a port that nobody answers.
 */
enum trace_cost_id {
	TRACE_COST_MSR_READ = 1,  /* HV_X64_MSR_VP_INDEX */
	TRACE_COST_MSR_WRITE = 2, /* HV_X64_MSR_GUEST_OS_ID, with the value that it has */
	TRACE_COST_PORT_OUT = 3,
	TRACE_COST_DEBUGCON_OUT = 4,
	TRACE_COST_HYPERCALL_UNKNOWN = 5,
	TRACE_COST_HYPERCALL = 6,
	TRACE_COST_IPI_LAPIC = 7,          /* to VP 1 through the local APIC, and back */
	TRACE_COST_IPI_HYPERCALL = 8,      /* the same by SendSyntheticClusterIpi */
	TRACE_COST_MESSAGE = 9,            /* a due timer's message: sent, taken, freed, EOM */
	TRACE_COST_TIMER_DIRECT_LATE = 10, /* from due time to handler; each expiry is a batch */
	TRACE_COST_TIMER_MESSAGE_LATE = 11,
	TRACE_COST_ECHO = 12, /* a message posted to a port of the host, which sends it back */
};

/* One batch. */
struct trace_cost {
	uint32_t what; /* enum trace_cost_id */
	uint32_t operations;
	uint64_t tsc_cycles; /* for all of them */
};

_Static_assert(sizeof(struct trace_cost) == 16, "ABI");
_Static_assert(sizeof(struct trace_frame) == 24, "ABI");
_Static_assert(offsetof(struct trace_info, synic) == TRACE_INFO_SIZE_1, "ABI");
_Static_assert(sizeof(struct trace_info) == 144, "ABI");
_Static_assert(offsetof(struct trace_info, tsc_khz) == 40, "ABI");
_Static_assert(offsetof(struct trace_vp, flags) == TRACE_VP_SIZE_1, "ABI");
_Static_assert(sizeof(struct trace_vp) == 48, "ABI");
_Static_assert(sizeof(struct trace_event) == 16, "ABI");

#endif
