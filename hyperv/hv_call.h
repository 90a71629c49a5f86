/* SPDX-License-Identifier: MIT */
/* One hypercall, as the functions that answer calls see it; and the table of calls. */
#ifndef VPUP_HYPERV_HV_CALL_H
#define VPUP_HYPERV_HV_CALL_H

#include "hyperv/hv_internal.h"

#define HV_CALL_INPUT_QWORDS (HV_HYP_PAGE_SIZE / sizeof(uint64_t))

/* Head, variable header and list, one behind the other; by name where a head has a layout. */
union hv_call_input {
	uint64_t qword[HV_CALL_INPUT_QWORDS];
	uint8_t byte[HV_HYP_PAGE_SIZE];
	struct hv_input_post_message post_message;
	struct hv_input_signal_event signal_event;
	struct hv_input_send_ipi send_ipi;
	struct hv_input_send_ipi_ex send_ipi_ex; /* its bank[] is the variable header */
	struct hv_input_vp_registers vp_registers;
	struct hv_input_apic_ids apic_ids;
	struct hv_input_start_vp start_vp;
};

struct hv_call {
	struct hv_partition *p;
	struct hv_vp *vp;
	bool fast;
	unsigned reps, start;   /* of the control word: do [start, reps) */
	unsigned var_qwords;    /* of the variable header */
	uint8_t *out;           /* guest RAM, which others may write at the same time */
	union hv_call_input in; /* a copy, filled as far as the call has input */
};

struct hv_call_row {
	uint16_t code;
	uint8_t feature; /* enum hv_feature: without it, HV_STATUS_ACCESS_DENIED */
	const char *name;
	uint16_t in_bytes, out_bytes;        /* without lists */
	uint8_t rep_in_bytes, rep_out_bytes; /* of a list's element; 0, 0: not a rep call */
	bool var;                            /* takes a variable header */
	uint16_t not_fast;                   /* status of its fast form; 0: it may be fast */
	uint16_t (*fn)(struct hv_call *c);   /* a call without list... */
	uint16_t (*rep)(struct hv_call *c, unsigned i); /* ...or element i of one with a list */
};

/* hv_call_table.c: NULL from HV_CALL_ROWS on */
const struct hv_call_row *hv_call_row(unsigned row);

/* hv_calls.c */
uint16_t hv_call_spin_wait(struct hv_call *c);
uint16_t hv_call_send_ipi(struct hv_call *c);
uint16_t hv_call_send_ipi_ex(struct hv_call *c);
uint16_t hv_call_partition_id(struct hv_call *c);
uint16_t hv_call_start_vp(struct hv_call *c);
uint16_t hv_call_vp_from_apic_id(struct hv_call *c, unsigned i);
uint16_t hv_call_ext_query(struct hv_call *c);

/* hv_vp_registers.c */
uint16_t hv_call_get_register(struct hv_call *c, unsigned i);
uint16_t hv_call_set_register(struct hv_call *c, unsigned i);

/* hv_port.c */
uint16_t hv_call_post_message(struct hv_call *c);
uint16_t hv_call_signal_event(struct hv_call *c);

/* Whether a call names the caller's own partition, and no VTL but 0. */
#define HV_PARTITION_ID 2
static inline bool hv_is_own_partition(uint64_t id)
{
	return id == HV_PARTITION_ID_SELF || id == HV_PARTITION_ID;
}

static inline bool hv_is_vtl_0(uint8_t target_vtl)
{
	return (target_vtl & ~HV_USE_TARGET_VTL) == 0;
}

#endif
