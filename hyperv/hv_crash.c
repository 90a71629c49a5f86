/* SPDX-License-Identifier: MIT */
/* Crash registers: the guest's last words, handed to the host. */
#include "hyperv/hv_internal.h"

#include <string.h>

#define MESSAGE_GPA 3 /* which parameter has it, with HV_CRASH_CTL_MESSAGE */
#define MESSAGE_LEN 4

enum hv_msr_result hv_crash_param_read(struct hv_msr_access *a)
{
	a->val = atomic_load(&a->p->crash[a->n]);
	return HV_MSR_OK;
}

enum hv_msr_result hv_crash_param_write(struct hv_msr_access *a)
{
	atomic_store(&a->p->crash[a->n], a->val);
	return HV_MSR_OK;
}

/* What the host can do for a crashing guest. */
enum hv_msr_result hv_crash_ctl_read(struct hv_msr_access *a)
{
	a->val = HV_CRASH_CTL_NOTIFY | HV_CRASH_CTL_MESSAGE;
	return HV_MSR_OK;
}

/* Copies the message, which other VPs may still be writing. Returns its length, 0 for none. */
static size_t copy_message(struct hv_partition *p, const uint64_t params[HV_CRASH_PARAMS],
			   char message[HV_CRASH_MESSAGE_MAX])
{
	uint64_t len = params[MESSAGE_LEN];
	const void *text;

	if (!len || len > HV_CRASH_MESSAGE_MAX)
		return 0;
	text = p->ops->gpa_ptr(p->ctx, params[MESSAGE_GPA], len);
	if (!text)
		return 0;
	memcpy(message, text, len);
	return len;
}

/* A message that can't be had doesn't keep the rest of the report from arriving. */
enum hv_msr_result hv_crash_ctl_write(struct hv_msr_access *a)
{
	struct hv_partition *p = a->p;
	uint64_t params[HV_CRASH_PARAMS];
	char message[HV_CRASH_MESSAGE_MAX];
	size_t len = 0;

	if (!(a->val & HV_CRASH_CTL_NOTIFY))
		return HV_MSR_OK;
	for (unsigned i = 0; i < HV_CRASH_PARAMS; i++)
		params[i] = atomic_load(&p->crash[i]);
	if (a->val & HV_CRASH_CTL_MESSAGE)
		len = copy_message(p, params, message);
	p->ops->crash(p->ctx, a->vp->index, params, len ? message : NULL, len);
	return HV_MSR_OK;
}
