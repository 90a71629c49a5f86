/* SPDX-License-Identifier: MIT */
/* Hypercalls: control word, where input and output lie, and the way to the function that answers. */
#include "hyperv/hv_call.h"

#include <string.h>

#define CALL_UD (-1) /* beside the HV_STATUS_ values */

static unsigned row_of(uint16_t code)
{
	unsigned row = 0;

	while (row < HV_CALL_ROWS && hv_call_row(row)->code != code)
		row++;
	return row;
}

static bool is_rep(const struct hv_call_row *row)
{
	return row->rep;
}

/* Reps completed are counted from the first element of the list, not from the start index. */
static uint64_t result_of(uint16_t status, unsigned done)
{
	return status | (uint64_t)done << HV_HYPERCALL_REP_COMP_OFFSET;
}

static int check_form(const struct hv_call *c, const struct hv_call_row *row)
{
	if (c->fast && row->not_fast)
		return row->not_fast;
	/* Before its lists: such a call is none of those that this guest was told of. */
	if (c->fast && row->in_bytes > HV_HYPERCALL_FAST_BYTES &&
	    !hv_has(c->p, HV_FEATURE_XMM_INPUT))
		return CALL_UD;
	if (is_rep(row) ? c->start >= c->reps : c->reps || c->start)
		return HV_STATUS_INVALID_HYPERCALL_INPUT;
	if (c->var_qwords && !row->var)
		return HV_STATUS_INVALID_HYPERCALL_INPUT;
	return HV_STATUS_SUCCESS;
}

/* A block of parameters, or NULL: aligned to 8 bytes, on one page, in RAM. */
static void *block(const struct hv_partition *p, uint64_t gpa, size_t size_bytes)
{
	if (gpa % 8 || gpa % HV_HYP_PAGE_SIZE + size_bytes > HV_HYP_PAGE_SIZE)
		return NULL;
	return p->ops->gpa_ptr(p->ctx, gpa, size_bytes);
}

static int fetch_fast(struct hv_call *c, const struct hv_hypercall_regs *r, size_t size_bytes)
{
	if (size_bytes > HV_HYPERCALL_FAST_BYTES + HV_HYPERCALL_XMM_BYTES)
		return HV_STATUS_INVALID_HYPERCALL_INPUT;
	c->in.qword[0] = r->rdx;
	c->in.qword[1] = r->r8;
	if (size_bytes <= HV_HYPERCALL_FAST_BYTES)
		return HV_STATUS_SUCCESS;
	if (!hv_has(c->p, HV_FEATURE_XMM_INPUT))
		return CALL_UD;
	c->p->ops->xmm_read(c->p->ctx, c->vp->index, &c->in.byte[HV_HYPERCALL_FAST_BYTES]);
	return HV_STATUS_SUCCESS;
}

static int fetch(struct hv_call *c, const struct hv_call_row *row,
		 const struct hv_hypercall_regs *r)
{
	size_t size_bytes = row->in_bytes + c->var_qwords * sizeof(uint64_t) +
			    (size_t)c->reps * row->rep_in_bytes;
	const void *in;

	if (c->fast)
		return fetch_fast(c, r, size_bytes);
	if (!size_bytes)
		return HV_STATUS_SUCCESS;
	in = block(c->p, r->rdx, size_bytes);
	if (!in)
		return HV_STATUS_INVALID_ALIGNMENT;
	memcpy(c->in.byte, in, size_bytes);
	return HV_STATUS_SUCCESS;
}

static int find_output(struct hv_call *c, const struct hv_call_row *row,
		       const struct hv_hypercall_regs *r)
{
	size_t size_bytes = row->out_bytes + (size_t)c->reps * row->rep_out_bytes;

	if (!size_bytes)
		return HV_STATUS_SUCCESS;
	c->out = block(c->p, r->r8, size_bytes);
	return c->out ? HV_STATUS_SUCCESS : HV_STATUS_INVALID_ALIGNMENT;
}

/* A list is done in one go, up to the first element that fails. */
static uint64_t run(struct hv_call *c, const struct hv_call_row *row)
{
	unsigned i;

	if (!is_rep(row))
		return result_of(row->fn(c), 0);
	for (i = c->start; i < c->reps; i++) {
		uint16_t status = row->rep(c, i);

		if (status != HV_STATUS_SUCCESS)
			return result_of(status, i);
	}
	return result_of(HV_STATUS_SUCCESS, i);
}

/*
 * The TLFS leaves the order of checks open. This is KVM's: privilege, reserved bits, code. IsNested
 * counts as reserved, because there is no hypervisor below that could take the call.
 */
static int check_code(const struct hv_partition *p, const struct hv_call_row *row, uint64_t control)
{
	if (row && (!hv_has(p, row->feature) || (!row->fn && !row->rep)))
		return HV_STATUS_ACCESS_DENIED;
	if (control & (HV_HYPERCALL_RSVD_MASK | HV_HYPERCALL_NESTED))
		return HV_STATUS_INVALID_HYPERCALL_INPUT;
	return row ? HV_STATUS_SUCCESS : HV_STATUS_INVALID_HYPERCALL_CODE;
}

static int call(struct hv_call *c, const struct hv_call_row *row, struct hv_hypercall_regs *r)
{
	uint64_t control = r->rcx;
	int status = check_code(c->p, row, control);

	if (status)
		return status;
	c->fast = control & HV_HYPERCALL_FAST_BIT;
	c->var_qwords = (control & HV_HYPERCALL_VARHEAD_MASK) >> HV_HYPERCALL_VARHEAD_OFFSET;
	c->reps = (control & HV_HYPERCALL_REP_COMP_MASK) >> HV_HYPERCALL_REP_COMP_OFFSET;
	c->start = (control & HV_HYPERCALL_REP_START_MASK) >> HV_HYPERCALL_REP_START_OFFSET;
	status = check_form(c, row);
	if (!status)
		status = fetch(c, row, r);
	if (!status)
		status = find_output(c, row, r);
	if (status)
		return status;
	r->rax = run(c, row);
	return HV_STATUS_SUCCESS;
}

enum hv_hypercall_result hv_hypercall(struct hv_partition *p, uint32_t vp,
				      struct hv_hypercall_regs *r)
{
	unsigned row = row_of(r->rcx & HV_HYPERCALL_CODE_MASK);
	struct hv_call c; /* without an initializer: its input is a page, and few calls need it */
	int status;

	c.p = p;
	c.vp = hv_vp(p, vp);
	c.out = NULL;
	status = call(&c, hv_call_row(row), r);
	hv_counter_inc(&c.vp->call[row].calls);
	if (status == HV_STATUS_SUCCESS)
		status = (int)(r->rax & HV_HYPERCALL_RESULT_MASK);
	else if (status != CALL_UD)
		r->rax = result_of(status, 0);
	if (status != HV_STATUS_SUCCESS)
		hv_counter_inc(&c.vp->call[row].failed);
	return status == CALL_UD ? HV_HYPERCALL_UD : HV_HYPERCALL_DONE;
}

static struct hv_call_count sum_of(const struct hv_partition *p, unsigned row)
{
	const struct hv_call_row *r = hv_call_row(row);
	struct hv_call_count sum = {.name = r ? r->name : "unknown", .code = r ? r->code : 0};

	for (uint32_t vp = 0; vp < p->cfg.vps; vp++) {
		sum.calls += hv_counter_read(&p->vp[vp].call[row].calls);
		sum.failed += hv_counter_read(&p->vp[vp].call[row].failed);
	}
	return sum;
}

uint64_t hv_hypercall_count(const struct hv_partition *p)
{
	uint64_t calls = 0;

	for (unsigned row = 0; row <= HV_CALL_ROWS; row++)
		calls += sum_of(p, row).calls;
	return calls;
}

size_t hv_call_counts(const struct hv_partition *p, struct hv_call_count *out, size_t max)
{
	size_t lines = 0;

	for (unsigned row = 0; row <= HV_CALL_ROWS && lines < max; row++) {
		struct hv_call_count sum = sum_of(p, row);

		if (sum.calls)
			out[lines++] = sum;
	}
	return lines;
}
