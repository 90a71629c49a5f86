/* SPDX-License-Identifier: MIT */
/* Body "hypercall": the calling convention, and errors that come before the call itself. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/string.h"

#define CODE_UNKNOWN      0xbeefu
#define CODE_LAST         0xffffu
#define CONNECTION_NONE   0x00123456u
#define RESERVED_AND_DONE 0xfffff000ffff0000ull /* of a result: bits 63:44 and 31:16 */
#define PATTERN           0x0123456789abcdefull

static const struct {
	const char *what;
	uint64_t bits;
} control_errors[] = {
	{"bit 27", 1ull << 27},
	{"bit 28", 1ull << 28},
	{"bit 29", 1ull << 29},
	{"bit 30", 1ull << 30},
	{"bit 31, IsNested", HV_HYPERCALL_NESTED},
	{"bit 44", 1ull << 44},
	{"bit 45", 1ull << 45},
	{"bit 46", 1ull << 46},
	{"bit 47", 1ull << 47},
	{"bit 60", 1ull << 60},
	{"bit 61", 1ull << 61},
	{"bit 62", 1ull << 62},
	{"bit 63", 1ull << 63},
	{"a rep count", 1ull << HV_HYPERCALL_REP_COMP_OFFSET},
	{"a rep start", 1ull << HV_HYPERCALL_REP_START_OFFSET},
	{"a variable header", 1ull << HV_HYPERCALL_VARHEAD_OFFSET},
};

static void test_unknown(struct conf *c)
{
	conf_equal(c, conf_call(c, CODE_UNKNOWN, 0, 0), HV_STATUS_INVALID_HYPERCALL_CODE,
		   "unknown code beef");
	conf_equal(c, conf_call(c, CODE_LAST, 0, 0), HV_STATUS_INVALID_HYPERCALL_CODE,
		   "unknown code ffff");
	conf_equal(c, conf_call(c, CONF_FAST(CODE_LAST), 0, 0), HV_STATUS_INVALID_HYPERCALL_CODE,
		   "unknown code ffff, fast");
	conf_equal(c, conf_call(c, 0, 0, 0), HV_STATUS_INVALID_HYPERCALL_CODE, "code 0");
}

/* SignalEvent to a connection that is none: a simple call that never does anything. */
static void test_control_word(struct conf *c)
{
	const uint64_t call = CONF_FAST(HVCALL_SIGNAL_EVENT);
	size_t i;

	conf_equal(c, conf_call(c, call, CONNECTION_NONE, 0), HV_STATUS_INVALID_CONNECTION_ID,
		   "a simple call, SignalEvent to connection %x", CONNECTION_NONE);
	for (i = 0; i < sizeof(control_errors) / sizeof(control_errors[0]); i++)
		conf_equal(c, conf_call(c, call | control_errors[i].bits, CONNECTION_NONE, 0),
			   HV_STATUS_INVALID_HYPERCALL_INPUT, "a simple call with %s",
			   control_errors[i].what);
}

static void test_memory(struct conf *c)
{
	struct hv_input_signal_event *e = (void *)c->page[0];
	uint8_t *p = c->page[0];
	uint64_t r;

	memset(c->page, 0, sizeof(c->page));
	e->connection_id = CONNECTION_NONE;
	conf_equal(c, conf_call_memory(c, HVCALL_SIGNAL_EVENT, e, NULL),
		   HV_STATUS_INVALID_CONNECTION_ID, "the same call with its input in memory");
	e = (void *)(p + HV_HYP_PAGE_SIZE - sizeof(*e));
	e->connection_id = CONNECTION_NONE;
	conf_equal(c, conf_call_memory(c, HVCALL_SIGNAL_EVENT, e, NULL),
		   HV_STATUS_INVALID_CONNECTION_ID, "input that ends with its page");
	conf_equal(c, conf_call_memory(c, HVCALL_SIGNAL_EVENT, p + 4, NULL),
		   HV_STATUS_INVALID_ALIGNMENT, "input at an address that 8 does not divide");
	conf_equal(c, conf_call_memory(c, HVCALL_SIGNAL_EVENT, p + HV_HYP_PAGE_SIZE - 4, NULL),
		   HV_STATUS_INVALID_ALIGNMENT, "input across two pages, unaligned");
	r = conf_call(c, HVCALL_SIGNAL_EVENT, 1ull << 50, 0);
	conf_one_of(c, r, HV_STATUS_INVALID_ALIGNMENT, HV_STATUS_INVALID_HYPERCALL_INPUT,
		    "input outside RAM: status 4 or 3");
	r = conf_call_memory(c, HVCALL_POST_MESSAGE,
			     p + HV_HYP_PAGE_SIZE - sizeof(struct hv_input_post_message) / 2, NULL);
	conf_one_of(c, r, HV_STATUS_INVALID_ALIGNMENT, HV_STATUS_INVALID_HYPERCALL_INPUT,
		    "input across two pages: status 4 or 3");
	conf_ok(c, conf_call(c, CONF_FAST(HVCALL_POST_MESSAGE), 0, 0) != HV_STATUS_SUCCESS,
		"fast form of a call whose input is too long for it");
}

/* GetVpRegisters: a call with a list. */
static void test_rep(struct conf *c)
{
	struct hv_input_vp_registers *in = (void *)c->page[0];
	uint32_t *names = (uint32_t *)(in + 1);
	uint64_t r;

	memset(c->page, 0, sizeof(c->page));
	*in = (struct hv_input_vp_registers){.partition_id = HV_PARTITION_ID_SELF,
					     .vp_index = HV_VP_INDEX_SELF};
	names[0] = HV_REGISTER_VP_INDEX;
	conf_equal(c, conf_call_memory(c, CONF_REP(HVCALL_GET_VP_REGISTERS, 1, 0), in, c->page[1]),
		   conf_result(HV_STATUS_SUCCESS, 1), "a list call of one element");
	conf_equal(c, conf_call_memory(c, CONF_REP(HVCALL_GET_VP_REGISTERS, 0, 0), in, c->page[1]),
		   HV_STATUS_INVALID_HYPERCALL_INPUT, "a list call without a list");
	conf_equal(c, conf_call_memory(c, CONF_REP(HVCALL_GET_VP_REGISTERS, 1, 1), in, c->page[1]),
		   HV_STATUS_INVALID_HYPERCALL_INPUT, "a list call that starts behind its list");
	r = conf_call_memory(c, CONF_REP(HVCALL_GET_VP_REGISTERS, 1, 0), in, c->page[1] + 4);
	conf_one_of(c, r, HV_STATUS_INVALID_ALIGNMENT, HV_STATUS_INVALID_HYPERCALL_INPUT,
		    "output at an address that 8 does not divide: status 4 or 3");
	r = conf_call_memory(c, CONF_REP(HVCALL_GET_VP_REGISTERS, 4000, 0), in, c->page[1]);
	conf_one_of(c, r, HV_STATUS_INVALID_ALIGNMENT, HV_STATUS_INVALID_HYPERCALL_INPUT,
		    "a list longer than a page: status 4 or 3");
}

/* Everything but RAX comes back as it went in. */
static void check_registers(struct conf *c, uint64_t control, uint64_t rdx, const char *what)
{
	const struct conf_regs in = {
		.rcx = control,
		.rdx = rdx,
		.rbx = PATTERN,
		.rsi = PATTERN + 1,
		.rdi = PATTERN + 2,
		.rbp = PATTERN + 3,
		.r8 = 0,
		.r9 = PATTERN + 4,
		.r10 = PATTERN + 5,
		.r11 = PATTERN + 6,
		.r12 = PATTERN + 7,
		.r13 = PATTERN + 8,
		.r14 = PATTERN + 9,
		.r15 = PATTERN + 10,
		.rax = PATTERN + 11,
	};
	struct conf_regs out = in;

	conf_call_page(c->call_page, &out);
	conf_ok(c, memcmp(&in.rbx, &out.rbx, sizeof(in) - sizeof(in.rax)) == 0,
		"%s: all registers but RAX are kept", what);
	conf_equal(c, out.rax & RESERVED_AND_DONE, 0, "%s: reserved bits of the result are 0",
		   what);
}

void conf_hypercall(struct conf *c)
{
	test_unknown(c);
	if (conf_has_ebx(c, HV_SIGNAL_EVENTS | HV_POST_MESSAGES)) {
		test_control_word(c);
		test_memory(c);
	} else {
		conf_skip(c, "no SignalEvent", "control word and memory of simple calls");
	}
	if (conf_has_ebx(c, HV_ACCESS_VP_REGISTERS))
		test_rep(c);
	else
		conf_skip(c, "no GetVpRegisters", "list calls");
	check_registers(c, CONF_FAST(CODE_UNKNOWN), PATTERN, "unknown code");
	check_registers(c, CONF_FAST(HVCALL_SIGNAL_EVENT), CONNECTION_NONE, "fast call");
	check_registers(c, HVCALL_SIGNAL_EVENT, (uint64_t)c->page[0], "memory call");
}
