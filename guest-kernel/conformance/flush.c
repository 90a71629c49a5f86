/* SPDX-License-Identifier: MIT */
/* Body "flush": TLB flush by hypercall, as far as results tell. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/string.h"

#define FLUSH_ALL_PROCESSORS  1ull
#define FLUSH_ALL_SPACES      2ull
#define FLUSH_NON_GLOBAL_ONLY 4ull

struct flush {
	uint64_t space, flags, mask;
	uint64_t range[4];
};

struct flush_ex {
	uint64_t space, flags, format, banks;
	uint64_t tail[4]; /* bank contents, then ranges */
};

static uint64_t call(struct conf *c, uint64_t control)
{
	return conf_call_memory(c, control, c->page[0], NULL);
}

static void test_plain(struct conf *c)
{
	struct flush *in = (void *)c->page[0];

	*in = (struct flush){.space = cpu_read_cr3(), .flags = FLUSH_ALL_PROCESSORS};
	conf_equal(c, call(c, HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE), HV_STATUS_SUCCESS,
		   "a space, on all VPs");
	in->flags = FLUSH_ALL_PROCESSORS | FLUSH_NON_GLOBAL_ONLY;
	conf_equal(c, call(c, HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE), HV_STATUS_SUCCESS,
		   "a space without its global pages");
	*in = (struct flush){.flags = FLUSH_ALL_SPACES, .mask = 1};
	conf_equal(c, call(c, HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE), HV_STATUS_SUCCESS,
		   "all spaces of one VP");
	in->range[0] = (uint64_t)c->page[1];
	in->range[1] = (uint64_t)c->page[2] | 1;
	conf_equal(c, call(c, CONF_REP(HVCALL_FLUSH_VIRTUAL_ADDRESS_LIST, 2, 0)),
		   conf_result(HV_STATUS_SUCCESS, 2), "a list of two ranges");
	conf_equal(c, call(c, HVCALL_FLUSH_VIRTUAL_ADDRESS_LIST), HV_STATUS_INVALID_HYPERCALL_INPUT,
		   "an empty list");
}

static void test_ex(struct conf *c)
{
	struct flush_ex *in = (void *)c->page[0];
	const uint64_t one_bank = 1ull << HV_HYPERCALL_VARHEAD_OFFSET;

	*in = (struct flush_ex){.flags = FLUSH_ALL_SPACES, .banks = 1, .tail = {1}};
	conf_equal(c, call(c, HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE_EX | one_bank), HV_STATUS_SUCCESS,
		   "Ex, all spaces of one VP");
	in->tail[1] = (uint64_t)c->page[1];
	conf_equal(c, call(c, CONF_REP(HVCALL_FLUSH_VIRTUAL_ADDRESS_LIST_EX, 1, 0) | one_bank),
		   conf_result(HV_STATUS_SUCCESS, 1), "Ex, a list of one range");
	*in = (struct flush_ex){.flags = FLUSH_ALL_SPACES, .format = HV_GENERIC_SET_ALL};
	conf_equal(c, call(c, HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE_EX), HV_STATUS_SUCCESS,
		   "Ex, all VPs");
}

void conf_flush(struct conf *c)
{
	memset(c->page, 0, sizeof(c->page));
	test_plain(c);
	if (conf_has_hint(c, HV_X64_EX_PROCESSOR_MASKS_RECOMMENDED))
		test_ex(c);
	else
		conf_skip(c, "not offered", "Ex");
}
