/* SPDX-License-Identifier: MIT */
/* Body "ipi": SendSyntheticClusterIpi in all its forms. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

#define VECTOR CONF_VECTOR
#define BOTH   3ull /* VP 0 and 1, in bank 0 */

static void check_arrival(struct conf *c, uint32_t boot, uint32_t other, const char *what)
{
	uint32_t on_other = conf_irqs_wait(c, 1, 0, other);
	uint32_t on_boot = conf_irqs_wait(c, 0, 0, boot);

	conf_ok(c, on_boot == boot && on_other == other, "%s: %u on the boot VP, %u on VP 1", what,
		boot, other);
	if (on_boot != boot || on_other != other)
		conf_note(c, "got %u and %u", on_boot, on_other);
	conf_irqs_clear(c);
}

static uint64_t send_fast(struct conf *c, uint64_t vector, uint64_t mask)
{
	return conf_call(c, CONF_FAST(HVCALL_SEND_IPI), vector, mask);
}

static void test_plain(struct conf *c)
{
	struct hv_input_send_ipi *in = (void *)c->page[0];
	uint64_t r;

	*in = (struct hv_input_send_ipi){.vector = VECTOR, .vp_mask = 2};
	conf_equal(c, conf_call_memory(c, HVCALL_SEND_IPI, in, NULL), HV_STATUS_SUCCESS,
		   "from memory: success");
	check_arrival(c, 0, 1, "from memory");
	conf_equal(c, send_fast(c, VECTOR, 2), HV_STATUS_SUCCESS, "fast: success");
	check_arrival(c, 0, 1, "fast");
	conf_equal(c, send_fast(c, VECTOR, BOTH), HV_STATUS_SUCCESS, "to both: success");
	check_arrival(c, 1, 1, "to both");
	conf_equal(c, send_fast(c, VECTOR, 0), HV_STATUS_SUCCESS, "to nobody: success");
	check_arrival(c, 0, 0, "to nobody");
	conf_equal(c, send_fast(c, VECTOR, 1ull << 63 | 2), HV_STATUS_SUCCESS,
		   "to one that does not exist too: success");
	check_arrival(c, 0, 1, "to one that does not exist too");
	r = send_fast(c, 15, 2);
	conf_one_of(c, r, HV_STATUS_INVALID_HYPERCALL_INPUT, HV_STATUS_INVALID_PARAMETER,
		    "vector 15: refused");
	r = send_fast(c, 256, 2);
	conf_one_of(c, r, HV_STATUS_INVALID_HYPERCALL_INPUT, HV_STATUS_INVALID_PARAMETER,
		    "vector 256: refused");
	check_arrival(c, 0, 0, "what was refused");
}

static uint64_t ex_control(unsigned banks)
{
	return HVCALL_SEND_IPI_EX | (uint64_t)banks << HV_HYPERCALL_VARHEAD_OFFSET;
}

static struct hv_input_send_ipi_ex *ex_input(struct conf *c, uint64_t format, uint64_t banks)
{
	struct hv_input_send_ipi_ex *in = (void *)c->page[0];

	*in = (struct hv_input_send_ipi_ex){.vector = VECTOR,
					    .format = format,
					    .valid_bank_mask = banks};
	return in;
}

static void test_ex(struct conf *c)
{
	struct hv_input_send_ipi_ex *in = ex_input(c, HV_GENERIC_SET_SPARSE_4K, 1);

	in->bank[0] = 2;
	conf_equal(c, conf_call_memory(c, ex_control(1), in, NULL), HV_STATUS_SUCCESS,
		   "Ex, one bank: success");
	check_arrival(c, 0, 1, "Ex, one bank");
	in = ex_input(c, HV_GENERIC_SET_SPARSE_4K, 1 | 1ull << 63);
	in->bank[0] = BOTH;
	in->bank[1] = UINT64_MAX;
	conf_equal(c, conf_call_memory(c, ex_control(2), in, NULL), HV_STATUS_SUCCESS,
		   "Ex, two banks, one of nobody: success");
	check_arrival(c, 1, 1, "Ex, two banks, one of nobody");
	in = ex_input(c, HV_GENERIC_SET_ALL, 0);
	conf_equal(c, conf_call_memory(c, ex_control(0), in, NULL), HV_STATUS_SUCCESS,
		   "Ex, all: success");
	check_arrival(c, 1, 1, "Ex, all");
	in = ex_input(c, HV_GENERIC_SET_SPARSE_4K, 0);
	conf_equal(c, conf_call_memory(c, ex_control(0), in, NULL), HV_STATUS_SUCCESS,
		   "Ex, empty set: success");
	in = ex_input(c, HV_GENERIC_SET_SPARSE_4K, 3);
	conf_equal(c, conf_call_memory(c, ex_control(1), in, NULL),
		   HV_STATUS_INVALID_HYPERCALL_INPUT, "Ex, two banks and a header for one");
	check_arrival(c, 0, 0, "Ex, nobody");
}

/* Fast: RDX vector, R8 format, XMM0 mask and first bank. */
static void test_xmm(struct conf *c)
{
	const uint64_t xmm[12] = {1, 2};
	const uint64_t control = ex_control(1) | HV_HYPERCALL_FAST_BIT;
	uint64_t r;

	conf_load_xmm(xmm);
	r = conf_call(c, control, VECTOR, HV_GENERIC_SET_SPARSE_4K);
	if (!conf_has_edx(c, HV_X64_HYPERCALL_XMM_INPUT_AVAILABLE)) {
		conf_equal(c, r, CONF_CALL_UD, "Ex, fast, without XMM input: #UD");
		conf_equal(c, c->call_fault, TRAP_UD, "Ex, fast, without XMM input: vector 6");
		check_arrival(c, 0, 0, "Ex, fast, without XMM input");
		return;
	}
	conf_equal(c, r, HV_STATUS_SUCCESS, "Ex, fast by XMM: success");
	check_arrival(c, 0, 1, "Ex, fast by XMM");
}

void conf_ipi(struct conf *c)
{
	conf_irqs_clear(c);
	memset(c->page, 0, sizeof(c->page));
	test_plain(c);
	if (conf_has_hint(c, HV_X64_EX_PROCESSOR_MASKS_RECOMMENDED)) {
		test_ex(c);
		test_xmm(c);
	} else {
		conf_skip(c, "not offered", "Ex");
	}
}
