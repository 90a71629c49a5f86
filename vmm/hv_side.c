/* SPDX-License-Identifier: MIT */
/* What both sides that can serve the Hyper-V interface have in common. */
#include "vmm/hv_side.h"

#include <errno.h>
#include <inttypes.h>

#include "vmm/hv_host_ops.h"

int hv_side_features(const struct vm_config *cfg, struct hv_features *out, struct err *e)
{
	enum hv_mode mode = cfg->hyperv == HYPERV_KERNEL ? HV_MODE_KERNEL : HV_MODE_USER;
	char msg[sizeof(e->text)];

	hv_features_default(out, mode, &hv_host_ops);
	if (cfg->hv && hv_features_parse(out, cfg->hv, msg, sizeof(msg)))
		return err_set(e, EINVAL, "--hv: %s", msg);
	if (hv_features_check(out, mode, &hv_host_ops, msg, sizeof(msg)))
		return err_set(e, EINVAL, "--hv: %s", msg);
	return 0;
}

void hv_leaf_add(void *sink, uint32_t function, const uint32_t reg[4])
{
	struct hv_leaf_sink *s = sink;

	if (s->count == s->max)
		return;
	s->out[s->count++] = (struct kvm_cpuid_entry2){
		.function = function,
		.eax = reg[0],
		.ebx = reg[1],
		.ecx = reg[2],
		.edx = reg[3],
	};
}

void hv_report_crash(struct outcome *o, uint32_t vp, const uint64_t params[HV_CRASH_PARAMS])
{
	outcome_set(o, OUTCOME_CRASH, 0,
		    "VP %u reported it (P0-P4: %#" PRIx64 " %#" PRIx64 " %#" PRIx64 " %#" PRIx64
		    " %#" PRIx64 ")",
		    vp, params[0], params[1], params[2], params[3], params[4]);
}
