/* SPDX-License-Identifier: MIT */
/* Where the Hyper-V library meets KVM: MSR exits, the hypercall page's trap, reference time. */
#include "vmm/hv_host.h"

#include <errno.h>
#include <stdlib.h>

#include "vmm/glue.h"
#include "vmm/layout.h"
#include "vmm/tsc.h"

/* Newer than the oldest headers that vpup builds with (Linux 6.11). */
#ifndef KVM_CAP_X86_APIC_BUS_CYCLES_NS
#define KVM_CAP_X86_APIC_BUS_CYCLES_NS 237
#endif

/* What KVM filters by whole bitmap bytes. */
#define HV_MSR_COUNT (HV_MSR_LAST - HV_MSR_FIRST + 1)

struct hv_host {
	struct machine *m;
	struct hv_config cfg;
	struct hv_partition *partition;
	uint64_t tsc_offset; /* of the guest, every VP's */
	pthread_t filter_thread;
	bool filtering; /* filter_thread was started and not yet joined */
	int filter_result;
	struct err filter_err;
};

static void *host_gpa_ptr(void *ctx, uint64_t addr, uint64_t size)
{
	struct hv_host *h = ctx;

	return mem_ptr(&h->m->mem, gpa(addr), size);
}

static uint64_t host_guest_tsc(void *ctx, uint32_t vp)
{
	struct hv_host *h = ctx;

	(void)vp;
	return tsc_now() + h->tsc_offset;
}

static void host_reset(void *ctx)
{
	struct hv_host *h = ctx;

	outcome_set(&h->m->outcome, OUTCOME_RESET, 0, NULL);
}

static const struct hv_host_ops host_ops = {
	.gpa_ptr = host_gpa_ptr,
	.reset = host_reset,
	.guest_tsc = host_guest_tsc,
};

static enum io_status msr_access(void *dev, struct io_access *a)
{
	struct hv_host *h = dev;
	struct vp_times *t = &h->m->vp[a->vp].times;
	enum hv_msr_result r;

	if (!t->first_hv_tsc)
		t->first_hv_tsc = tsc_now();
	if (a->is_write)
		r = hv_msr_write(h->partition, a->vp, (uint32_t)a->addr, a->val);
	else
		r = hv_msr_read(h->partition, a->vp, (uint32_t)a->addr, &a->val);
	return r == HV_MSR_OK ? IO_OK : IO_FAULT;
}

/*
 * The hypercall page's `out`. Only 64-bit kernel mode has an answer; a guest that comes here from
 * anywhere else wrote the instruction itself and gets what an unclaimed port gives.
 */
static enum io_status hypercall_trap(void *dev, struct io_access *a)
{
	struct hv_host *h = dev;
	struct vp *vp = &h->m->vp[a->vp];
	struct hv_hypercall_regs r;
	struct kvm_regs *regs;
	struct kvm_sregs s;

	if (!a->is_write || kvm_vp_get_sregs(&h->m->kvm, &vp->kvm, &s, NULL) || s.ss.dpl || !s.cs.l)
		return IO_UNCLAIMED;
	regs = vp_regs(vp);
	r = (struct hv_hypercall_regs){.rcx = regs->rcx, .rdx = regs->rdx, .r8 = regs->r8};
	if (hv_hypercall(h->partition, a->vp, &r) != HV_HYPERCALL_DONE)
		return IO_UNCLAIMED;
	regs->rax = r.rax;
	vp_regs_changed(vp);
	return IO_OK;
}

static void *filter_thread(void *arg)
{
	struct hv_host *h = arg;

	h->filter_result = kvm_deny_msrs(&h->m->kvm, HV_MSR_FIRST, HV_MSR_COUNT, &h->filter_err);
	return NULL;
}

/*
 * A KVM with Hyper-V of its own would answer these MSRs itself; one without does not know them, and
 * MSRs that it does not know come to user space anyway. The filter costs a grace period, so it is
 * set only where it is needed, and beside the rest of the set-up.
 */
static int take_msrs(struct hv_host *h, struct err *e)
{
	int ret = kvm_enable_user_msrs(&h->m->kvm, e);

	if (ret || !kvm_capability(&h->m->kvm, KVM_CAP_HYPERV))
		return ret;
	ret = pthread_create(&h->filter_thread, NULL, filter_thread, h);
	if (ret)
		return err_set(e, ret, "can't start a thread for the MSR filter");
	h->filtering = true;
	return 0;
}

static int wait_msrs(struct hv_host *h, struct err *e)
{
	if (!h->filtering)
		return 0;
	pthread_join(h->filter_thread, NULL);
	h->filtering = false;
	if (h->filter_result)
		*e = h->filter_err;
	return h->filter_result;
}

/* Reference time begins now, with the VPs made and none of them running. */
static void start_time(struct hv_host *h)
{
	struct machine *m = h->m;

	if (kvm_vp_tsc_offset(&m->kvm, &m->vp[0].kvm, &h->tsc_offset) < 0)
		h->tsc_offset = 0; /* no such attribute: the guest's TSC is the host's */
	hv_ref_time_start(h->partition, host_guest_tsc(h, 0));
}

int hv_host_prepare(struct hv_host *h, struct err *e)
{
	start_time(h);
	return wait_msrs(h, e);
}

static void hv_host_fini(void *state)
{
	struct hv_host *h = state;
	struct err e;

	if (!h)
		return;
	wait_msrs(h, &e);
	hv_partition_free(h->partition);
	free(h);
}

/* KVM's local APIC timer counts at 1 GHz, and newer ones say so, in ns a cycle. */
static uint64_t apic_timer_hz(struct kvm *k)
{
	int cycle_ns = kvm_capability(k, KVM_CAP_X86_APIC_BUS_CYCLES_NS);

	return 1000000000ull / (cycle_ns > 0 ? (unsigned)cycle_ns : 1);
}

static int hv_host_init(struct machine *m, void **state, struct err *e)
{
	struct hv_host *h;
	struct io_range msrs = {.name = "Hyper-V MSRs",
				.base = HV_MSR_FIRST,
				.last = HV_MSR_LAST,
				.fn = msr_access};
	struct io_range port = {.name = "Hyper-V hypercalls",
				.base = LAYOUT_PORT_HYPERCALL,
				.last = LAYOUT_PORT_HYPERCALL,
				.fn = hypercall_trap};
	int ret;

	if (m->cfg->hyperv == HYPERV_OFF)
		return 0;
	h = calloc(1, sizeof(*h));
	if (!h)
		return err_set(e, ENOMEM, "out of memory");
	*state = h;
	m->hv = h;
	h->m = m;
	h->cfg = (struct hv_config){
		.vps = m->topology.vps,
		.tsc_hz = m->record->tsc_khz * 1000,
		.apic_hz = apic_timer_hz(&m->kvm),
		.hypercall_port = LAYOUT_PORT_HYPERCALL,
	};
	hv_features_default(&h->cfg.features, HV_MODE_USER, &host_ops);
	h->partition = hv_partition_new(&h->cfg, &host_ops, h);
	if (!h->partition)
		return err_set(e, ENOMEM, "out of memory for the Hyper-V partition");
	ret = take_msrs(h, e);
	if (ret)
		return ret;
	msrs.dev = h;
	port.dev = h;
	ret = bus_claim(&m->msr, &msrs);
	return ret ? ret : bus_claim(&m->pio, &port);
}

const struct device_ops hv_device = {"Hyper-V", hv_host_init, hv_host_fini};

struct cpuid_sink {
	struct kvm_cpuid_entry2 *out;
	size_t max;
	size_t count;
};

static void add_leaf(void *ctx, uint32_t function, const uint32_t reg[4])
{
	struct cpuid_sink *s = ctx;

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

size_t hv_host_cpuid(const struct hv_host *h, struct kvm_cpuid_entry2 *out, size_t max)
{
	struct cpuid_sink s = {.out = out, .max = max};

	hv_cpuid_each(&h->cfg, add_leaf, &s);
	return s.count;
}

const struct hv_partition *hv_host_partition(const struct hv_host *h)
{
	return h->partition;
}
