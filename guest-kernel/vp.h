/* SPDX-License-Identifier: MIT */
/* One virtual processor as the guest keeps it, and the table of all of them. */
#ifndef VPUP_GUEST_VP_H
#define VPUP_GUEST_VP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest-kernel/abi/trace.h"
#include "guest-kernel/asm_abi.h"
#include "guest-kernel/cpu.h"
#include "guest-kernel/memory.h"

#define VP_STAGES_MAX 32 /* event numbers below this can be stages */
#define VP_NODES_MAX  1024

struct tss {
	uint32_t reserved0;
	uint64_t rsp[3];
	uint64_t reserved1;
	uint64_t ist[7];
	uint64_t reserved2;
	uint16_t reserved3;
	uint16_t iomap;
} __attribute__((packed));

/*
 * A VP's memory. Its second page holds all that a VP touches when nothing goes wrong: stack and
 * state. Memory is not cleared: vp_table_add() sets what is read of any VP, and the VP itself the
 * rest.
 */
struct vp {
	_Alignas(VP_SIZE) uint8_t double_fault_stack[2048];
	uint8_t nmi_stack[2048];
	uint8_t stack[VP_STACK_TOP - 4096]; /* not the boot VP's, which has a larger one */
	uint32_t stages;                    /* bit n: stage n was reached, at stage_tsc[n] */
	uint32_t index;
	uint32_t apic_id;
	uint32_t node;
	uint64_t lpj;
	uint32_t lpj_dropped;
	uint32_t lpj_measured; /* 0 or 1 */
	uint32_t hv_vp_index;
	uint32_t package; /* index of its first VP; 0 unless topology_find() was called */
	uint32_t core;    /* likewise */
	uint64_t stage_tsc[VP_STAGES_MAX];
	uint64_t gdt[5];
	struct tss tss;
};

_Static_assert(TRACE_VP_EVENTS_END <= VP_STAGES_MAX, "vp.stages has a bit for each");
_Static_assert(sizeof(struct tss) == 104, "SDM 3A 8.7");
_Static_assert(sizeof(struct vp) == VP_SIZE && VP_SIZE == 1 << VP_SHIFT, "asm_abi.h");
_Static_assert(offsetof(struct vp, stages) == VP_STACK_TOP && VP_STACK_TOP % 16 == 0, "asm_abi.h");

struct vp_table {
	struct vp *vps; /* one behind the other; the boot VP is the first */
	struct vp *next;
	struct vp *end; /* of the memory that VPs may take */
	uint32_t count;
	uint32_t max_apic_id; /* IDs above it are refused */
	uint32_t node_count;
	uint32_t last_node;
	uint32_t again; /* entries of VPs that were there already, beyond the boot VP's first */
	uint32_t again_apic_id;
	bool boot_vp_named;
	uint32_t proximity[VP_NODES_MAX]; /* of node n, as the firmware tables name it */
};

/* What ap_entry.S needs, set by main.c before bring-up. */
struct ap_boot {
	struct vp *vps;
	uint32_t x2apic;    /* 0 or 1 */
	uint32_t strangers; /* VPs that came and are in no table */
};
extern struct ap_boot ap_boot;

/* Index of a VP in the table plus 1, by APIC ID; 0: no such VP. */
extern uint16_t vp_number_by_apic_id[APIC_ID_LIMIT + 1];

_Static_assert(offsetof(struct ap_boot, vps) == AP_BOOT_VPS, "asm_abi.h");
_Static_assert(offsetof(struct ap_boot, x2apic) == AP_BOOT_X2APIC, "asm_abi.h");
_Static_assert(offsetof(struct ap_boot, strangers) == AP_BOOT_STRANGERS, "asm_abi.h");

/*
 * Starts the table with the boot VP. The table has all of the memory until vp_table_finish() gives
 * back what it did not need. max_apic_id is at most APIC_ID_LIMIT.
 */
void vp_table_init(struct vp_table *t, const struct memory *memory, uint32_t boot_apic_id,
		   uint32_t max_apic_id);

/* Ends the run: the VP has no memory, or a number that is too large. */
_Noreturn void vp_table_refuse(const struct vp_table *t, uint32_t apic_id);

/* The tables name a VP that is there: the boot VP for the first time, or any for the second. */
void vp_table_name_again(struct vp_table *t, uint32_t apic_id);

/* Adds a VP unless it is there already. Inline, as the boot VP does this for each VP in turn. */
static inline void vp_table_add(struct vp_table *t, uint32_t apic_id)
{
	struct vp *vp = t->next;

	if (apic_id > t->max_apic_id)
		vp_table_refuse(t, apic_id);
	if (vp_number_by_apic_id[apic_id] != 0) {
		vp_table_name_again(t, apic_id);
		return;
	}
	if (vp == t->end)
		vp_table_refuse(t, apic_id);
	vp->stages = 0;
	vp->index = t->count;
	vp->apic_id = apic_id;
	vp->node = 0;
	vp->package = 0;
	vp->core = 0;
	t->next = vp + 1;
	vp_number_by_apic_id[apic_id] = (uint16_t)++t->count;
}

/* Puts the VP into the node of that proximity domain; unknown APIC IDs are ignored. */
void vp_table_set_proximity(struct vp_table *t, uint32_t apic_id, uint32_t proximity);

/* The table is complete. The boot VP's APIC ID leads no secondary VP to it from now on. */
void vp_table_finish(struct vp_table *t, struct memory *memory);

/* Nodes with VPs in them, at least 1. */
uint32_t vp_table_nodes(const struct vp_table *t);

/* The VP's own GDT, TSS and interrupt stacks; the IDT is shared. */
void vp_load_tables(struct vp *vp);

/* Marks a stage (enum trace_event_id) as reached at tsc. For the VP itself, or before it runs. */
static inline void vp_mark_at(struct vp *vp, enum trace_event_id stage, uint64_t tsc)
{
	vp->stage_tsc[stage] = tsc;
	vp->stages |= 1u << stage;
	cpu_barrier();
}

static inline void vp_mark(struct vp *vp, enum trace_event_id stage)
{
	cpu_rdtsc_to(&vp->stage_tsc[stage]);
	vp->stages |= 1u << stage;
	cpu_barrier();
}

/* Callable for any VP at any time. */
static inline bool vp_reached(const struct vp *vp, enum trace_event_id stage)
{
	return __atomic_load_n(&vp->stages, __ATOMIC_ACQUIRE) >> stage & 1u;
}

#endif
