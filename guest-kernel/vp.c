/* SPDX-License-Identifier: MIT */
/* One virtual processor as the guest keeps it, and the table of all of them. */
#include "guest-kernel/vp.h"

#include "guest-kernel/shutdown.h"
#include "guest-kernel/trap.h"

#define TSS_LIMIT     (sizeof(struct tss) - 1)
#define TSS_AVAILABLE (0x89ull << 40) /* present, 64-bit available TSS (SDM 3A 8.2.3) */

struct ap_boot ap_boot;
uint16_t vp_number_by_apic_id[APIC_ID_LIMIT + 1];

void vp_table_init(struct vp_table *t, const struct memory *memory, uint32_t boot_apic_id,
		   uint32_t max_apic_id)
{
	uint64_t start = (memory->next + VP_SIZE - 1) & ~(uint64_t)(VP_SIZE - 1);
	uint64_t end = memory->end & ~(uint64_t)(VP_SIZE - 1);

	t->vps = (struct vp *)start;
	t->next = t->vps;
	t->end = (struct vp *)(end > start ? end : start);
	t->max_apic_id = max_apic_id;
	vp_table_add(t, boot_apic_id);
}

_Noreturn void vp_table_refuse(const struct vp_table *t, uint32_t apic_id)
{
	if (apic_id > t->max_apic_id)
		fail("a VP has APIC ID %u, but the local APIC's mode and the guest allow %u at "
		     "most",
		     apic_id, t->max_apic_id);
	fail("no RAM for more than %u VPs, each takes %u KiB: give the VM more", t->count,
	     VP_SIZE / 1024);
}

void vp_table_name_again(struct vp_table *t, uint32_t apic_id)
{
	if (apic_id == t->vps->apic_id && !t->boot_vp_named) {
		t->boot_vp_named = true;
		return;
	}
	t->again++;
	t->again_apic_id = apic_id;
}

void vp_table_finish(struct vp_table *t, struct memory *memory)
{
	memory->next = (uint64_t)t->next;
	vp_number_by_apic_id[t->vps->apic_id] = 0;
}

/* The number of a proximity domain: nodes are numbered in the order in which they turn up. */
static uint32_t node_of(struct vp_table *t, uint32_t proximity)
{
	uint32_t i;

	/* Tables list their VPs node by node, so it mostly is the one that the last VP had. */
	if (t->node_count > 0 && t->proximity[t->last_node] == proximity)
		return t->last_node;
	for (i = 0; i < t->node_count && t->proximity[i] != proximity; i++)
		;
	if (i == VP_NODES_MAX)
		fail("more than %u NUMA nodes", VP_NODES_MAX);
	if (i == t->node_count)
		t->proximity[t->node_count++] = proximity;
	t->last_node = i;
	return i;
}

void vp_table_set_proximity(struct vp_table *t, uint32_t apic_id, uint32_t proximity)
{
	if (apic_id <= APIC_ID_LIMIT && vp_number_by_apic_id[apic_id] != 0)
		t->vps[vp_number_by_apic_id[apic_id] - 1].node = node_of(t, proximity);
}

uint32_t vp_table_nodes(const struct vp_table *t)
{
	return t->node_count > 0 ? t->node_count : 1;
}

void vp_load_tables(struct vp *vp)
{
	const struct cpu_table_ptr gdtr = {.limit = sizeof(vp->gdt) - 1, .base = (uint64_t)vp->gdt};
	uint64_t tss = (uint64_t)&vp->tss;

	vp->gdt[SEL_CODE64 / 8] = GDT_CODE64;
	vp->gdt[SEL_DATA / 8] = GDT_DATA;
	/* All VPs lie below 4 GiB, so the upper half of the TSS's address is zero. */
	vp->gdt[SEL_TSS / 8] =
		TSS_LIMIT | (tss & 0xffffff) << 16 | TSS_AVAILABLE | (tss >> 24) << 56;
	vp->gdt[SEL_TSS / 8 + 1] = 0;
	/* Nothing leaves ring 0, so of the TSS only the interrupt stacks are used. */
	vp->tss.ist[IST_DOUBLE_FAULT - 1] =
		(uint64_t)(vp->double_fault_stack + sizeof(vp->double_fault_stack));
	vp->tss.ist[IST_NMI - 1] = (uint64_t)(vp->nmi_stack + sizeof(vp->nmi_stack));
	cpu_lgdt(&gdtr);
	cpu_ltr(SEL_TSS);
	cpu_lidt(&idtr);
}
