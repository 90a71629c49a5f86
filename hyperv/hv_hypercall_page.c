/* SPDX-License-Identifier: MIT */
/* The hypercall page and the two MSRs that rule it. */
#include "hyperv/hv_internal.h"

#include <string.h>

/*
 * The page traps with an OUT, since no VMCALL reaches user space (docs/hyperv.md). ENDBR64 comes
 * first because Linux turns its own IBT off where the page doesn't start with it. The form of OUT
 * with an immediate port needs no register, so all of them arrive as the caller set them.
 */
void hv_hypercall_page_fill(uint8_t page[HV_HYP_PAGE_SIZE], uint8_t port)
{
	const uint8_t code[] = {
		0xf3, 0x0f, 0x1e, 0xfa, /* endbr64 */
		0xe7, port,             /* out port, eax */
		0xc3,                   /* ret */
	};

	memset(page, 0xcc, HV_HYP_PAGE_SIZE); /* int3 */
	memcpy(page, code, sizeof(code));
}

/* A guest that has not said who it is gets no hypercalls, and one that says 0 loses them. */
enum hv_msr_result hv_guest_os_id_write(struct hv_msr_access *a)
{
	struct hv_partition *p = a->p;

	pthread_mutex_lock(&p->lock);
	atomic_store(&p->guest_os_id, a->val);
	if (!a->val) {
		hv_overlay_hide(&p->overlays, &p->hypercall_page);
		atomic_store(&p->hypercall,
			     atomic_load(&p->hypercall) & ~HV_X64_MSR_HYPERCALL_ENABLE);
	}
	pthread_mutex_unlock(&p->lock);
	return HV_MSR_OK;
}

/*
 * Bit 1 locks the register where CPUID offers that. It is not offered here, so the bit is one of
 * those that the guest must preserve: stored, without effect.
 */
enum hv_msr_result hv_hypercall_msr_write(struct hv_msr_access *a)
{
	struct hv_partition *p = a->p;
	uint64_t val = a->val;
	enum hv_msr_result result;

	pthread_mutex_lock(&p->lock);
	if (!atomic_load(&p->guest_os_id))
		val &= ~HV_X64_MSR_HYPERCALL_ENABLE;
	result = hv_page_msr_write(p, &p->hypercall_page, val);
	if (result == HV_MSR_OK)
		atomic_store(&p->hypercall, val);
	pthread_mutex_unlock(&p->lock);
	return result;
}
