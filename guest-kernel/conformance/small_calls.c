/* SPDX-License-Identifier: MIT */
/* Body "small-calls": calls that have little to test. Those that are not offered: "privilege". */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/string.h"

static void test_spin_wait(struct conf *c)
{
	uint64_t *in = (void *)c->page[0];

	in[0] = 4096;
	conf_equal(c, conf_call(c, CONF_FAST(HVCALL_NOTIFY_LONG_SPIN_WAIT), 4096, 0),
		   HV_STATUS_SUCCESS, "NotifyLongSpinWait, fast");
	conf_equal(c, conf_call_memory(c, HVCALL_NOTIFY_LONG_SPIN_WAIT, in, NULL),
		   HV_STATUS_SUCCESS, "NotifyLongSpinWait");
}

static void test_partition_id(struct conf *c)
{
	uint64_t *out = (void *)c->page[1], id;

	out[0] = 0;
	out[1] = 0x5a5a5a5a5a5a5a5aull;
	conf_equal(c, conf_call_memory(c, HVCALL_GET_PARTITION_ID, NULL, out), HV_STATUS_SUCCESS,
		   "GetPartitionId");
	id = out[0];
	conf_ok(c, id != 0 && id != HV_PARTITION_ID_SELF, "GetPartitionId: neither 0 nor self");
	conf_equal(c, out[1], 0x5a5a5a5a5a5a5a5aull, "GetPartitionId writes 8 bytes");
	conf_call_memory(c, HVCALL_GET_PARTITION_ID, NULL, out);
	conf_equal(c, out[0], id, "GetPartitionId: the same again");
}

static void test_ext_query(struct conf *c)
{
	uint64_t *out = (void *)c->page[1];

	out[0] = UINT64_MAX;
	conf_equal(c, conf_call_memory(c, HV_EXT_CALL_QUERY_CAPABILITIES, NULL, out),
		   HV_STATUS_SUCCESS, "ExtCallQueryCapabilities");
	conf_equal(c, out[0] & ~0x1full, 0, "ExtCallQueryCapabilities: no unknown capability");
	conf_ok(c,
		conf_call(c, CONF_FAST(HV_EXT_CALL_QUERY_CAPABILITIES), 0, 0) != HV_STATUS_SUCCESS,
		"ExtCallQueryCapabilities has no fast form");
}

void conf_small_calls(struct conf *c)
{
	memset(c->page, 0, sizeof(c->page));
	if (conf_has_spin_wait(c))
		test_spin_wait(c);
	else
		conf_skip(c, "not offered", "NotifyLongSpinWait");
	if (conf_has_ebx(c, HV_ACCESS_PARTITION_ID))
		test_partition_id(c);
	else
		conf_skip(c, "not offered", "GetPartitionId");
	if (conf_has_ebx(c, HV_ENABLE_EXTENDED_HYPERCALLS))
		test_ext_query(c);
	else
		conf_skip(c, "not offered", "ExtCallQueryCapabilities");
}
