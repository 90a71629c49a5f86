/* SPDX-License-Identifier: MIT */
/* Where the Hyper-V library meets KVM: the device row, MSR exits, the hypercall page's trap. */
#include "vmm/hv_host.h"

#include <errno.h>
#include <stdlib.h>

#include "vmm/hv_auto_eoi.h"
#include "vmm/hv_host_ops.h"
#include "vmm/hv_side.h"
#include "vmm/hv_start_vp.h"
#include "vmm/layout.h"
#include "vmm/tsc.h"

/* Newer than the oldest headers that vpup builds with (Linux 6.11). */
#ifndef KVM_CAP_X86_APIC_BUS_CYCLES_NS
#define KVM_CAP_X86_APIC_BUS_CYCLES_NS 237
#endif

/* What KVM filters by whole bitmap bytes. */
#define HV_MSR_COUNT (HV_MSR_LAST - HV_MSR_FIRST + 1)

#define VECTOR_UD      6
#define OUT_IMM8_BYTES 2

static enum io_status msr_access(void *dev, struct io_access *a)
{
	struct hv_host *h = dev;
	struct vp_times *t = &h->m->vp[a->vp].times;
	enum hv_msr_result r;

	if (!t->first_hv_tsc)
		t->first_hv_tsc = tsc_now();
	if (a->is_write && a->vp == 0 && a->addr == HV_X64_MSR_REFERENCE_TSC &&
	    !h->m->record->hv_clock_tsc)
		h->m->record->hv_clock_tsc = tsc_now();
	if (a->is_write)
		r = hv_msr_write(h->partition, a->vp, (uint32_t)a->addr, a->val);
	else
		r = hv_msr_read(h->partition, a->vp, (uint32_t)a->addr, &a->val);
	return r == HV_MSR_OK ? IO_OK : IO_FAULT;
}

/* #UD at the instruction that trapped, which KVM may or may not have stepped over already. */
static void inject_ud(struct hv_host *h, struct vp *vp)
{
	struct kvm *k = &h->m->kvm;
	uint64_t rip = vp_regs(vp)->rip;
	struct kvm_vcpu_events v;
	struct kvm_regs regs;
	struct err e;
	int ret = vp_complete_exit(vp, &e);

	if (ret == 0)
		ret = kvm_vp_get_regs(k, &vp->kvm, &regs, &e);
	if (ret == 0) {
		regs.rip = regs.rip == rip ? rip - OUT_IMM8_BYTES : rip;
		ret = kvm_vp_set_regs(k, &vp->kvm, &regs, &e);
	}
	if (ret == 0)
		ret = kvm_vp_get_events(k, &vp->kvm, &v, &e);
	if (ret == 0) {
		v.exception.injected = 1;
		v.exception.nr = VECTOR_UD;
		v.exception.has_error_code = 0;
		v.flags = 0;
		ret = kvm_vp_set_events(k, &vp->kvm, &v, &e);
	}
	if (ret)
		outcome_set(&h->m->outcome, OUTCOME_HOST_ERROR, 0, "VP %u: %s", vp->index, e.text);
}

/* The hypercall page's `out`. Hypercalls are for 64-bit kernel mode; elsewhere they are #UD. */
static enum io_status hypercall_trap(void *dev, struct io_access *a)
{
	struct hv_host *h = dev;
	struct vp *vp = &h->m->vp[a->vp];
	struct hv_hypercall_regs r;
	struct kvm_regs *regs;
	struct kvm_sregs s;

	if (!a->is_write)
		return IO_UNCLAIMED;
	if (kvm_vp_get_sregs(&h->m->kvm, &vp->kvm, &s, NULL) || s.ss.dpl || !s.cs.l) {
		inject_ud(h, vp);
		return IO_OK;
	}
	regs = vp_regs(vp);
	r = (struct hv_hypercall_regs){.rcx = regs->rcx, .rdx = regs->rdx, .r8 = regs->r8};
	if (hv_hypercall(h->partition, a->vp, &r) == HV_HYPERCALL_UD) {
		inject_ud(h, vp);
		return IO_OK;
	}
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

	h->kvm_has_hyperv = kvm_capability(&h->m->kvm, KVM_CAP_HYPERV) > 0;
	if (ret || !h->kvm_has_hyperv)
		return ret;
	ret = pthread_create(&h->filter_thread, NULL, filter_thread, h);
	if (ret)
		return err_set(e, ret, "can't start a thread for the MSR filter");
	h->filtering = true;
	return 0;
}

static int wait_for_filter(struct hv_host *h, struct err *e)
{
	if (!h->filtering)
		return 0;
	pthread_join(h->filter_thread, NULL);
	h->filtering = false;
	if (h->filter_result)
		*e = h->filter_err;
	return h->filter_result;
}

static int hv_host_ready(struct machine *m, struct err *e)
{
	struct hv_host *h = m->hv;

	/* Without the attribute, KVM started the guest's TSC with the host's. */
	if (kvm_vp_tsc_offset(&h->m->kvm, &h->m->vp[0].kvm, &h->tsc_offset) < 0)
		h->tsc_offset = 0;
	hv_ref_time_start(h->partition, h->start_tsc + h->tsc_offset);
	return wait_for_filter(h, e);
}

static void hv_host_fini(void *state)
{
	struct hv_host *h = state;
	struct err e;

	if (!h)
		return;
	wait_for_filter(h, &e);
	hv_partition_free(h->partition);
	hv_timers_fini(&h->timers);
	free(h->context);
	free(h);
}

/* KVM's local APIC timer counts at 1 GHz, and newer ones say so, in ns a cycle. */
static uint64_t apic_timer_hz(struct kvm *k)
{
	int cycle_ns = kvm_capability(k, KVM_CAP_X86_APIC_BUS_CYCLES_NS);

	return 1000000000ull / (cycle_ns > 0 ? (unsigned)cycle_ns : 1);
}

static int make_partition(struct hv_host *h, struct err *e)
{
	struct machine *m = h->m;

	h->cfg = (struct hv_config){
		.vps = m->topology.vps,
		.tsc_hz = m->record->tsc_khz * 1000,
		.apic_hz = faults_lie(&m->faults, FAULT_APIC_TIMER_LIE, apic_timer_hz(&m->kvm)),
		.told_tsc_hz = faults_lie(&m->faults, FAULT_TSC_LIE, m->record->tsc_khz * 1000),
		.hypercall_port = LAYOUT_PORT_HYPERCALL,
		.features = m->hv_features,
	};
	h->context = calloc(m->topology.vps, sizeof(*h->context));
	h->partition = hv_partition_new(&h->cfg, &hv_host_ops, h);
	if (!h->context || !h->partition)
		return err_set(e, ENOMEM, "out of memory for the Hyper-V partition");
	return hv_timers_init(&h->timers, m->topology.vps, e);
}

static int claim(struct hv_host *h)
{
	struct io_range msrs = {.name = "Hyper-V MSRs",
				.base = HV_MSR_FIRST,
				.last = HV_MSR_LAST,
				.fn = msr_access,
				.dev = h};
	struct io_range port = {.name = "Hyper-V hypercalls",
				.base = LAYOUT_PORT_HYPERCALL,
				.last = LAYOUT_PORT_HYPERCALL,
				.fn = hypercall_trap,
				.dev = h};
	int ret = bus_claim(&h->m->msr, &msrs);

	return ret ? ret : bus_claim(&h->m->pio, &port);
}

static size_t hv_host_cpuid(const struct machine *m, struct kvm_cpuid_entry2 *out, size_t max)
{
	struct hv_leaf_sink s = {.out = out, .max = max};

	hv_cpuid_each(&m->hv->cfg, hv_leaf_add, &s);
	return s.count;
}

static int hv_host_prepare_vp(struct vp *vp, struct err *e)
{
	(void)e;
	vp->kvm.run->kvm_valid_regs = KVM_SYNC_X86_REGS; /* every hypercall needs them */
	return 0;
}

static int hv_host_serve_vp(struct vp *vp, unsigned requests, struct err *e)
{
	int ret = 0;

	if (requests & VP_REQUEST_START)
		ret = hv_start_vp_apply(vp, e);
	if (ret == 0 && requests & VP_REQUEST_AUTO_EOI)
		ret = hv_auto_eoi_inject(vp, e);
	return ret;
}

static int side_connect(struct machine *m, const struct hv_port *port)
{
	return hv_port_connect(m->hv->partition, port);
}

static int side_disconnect(struct machine *m, const struct hv_port *port)
{
	return hv_port_disconnect(m->hv->partition, port);
}

static const struct hv_ports *side_ports(const struct machine *m)
{
	return hv_partition_ports(m->hv->partition);
}

static uint16_t side_post_message(struct machine *m, uint32_t vp, unsigned sint,
				  const struct hv_message *msg)
{
	return hv_synic_post_message(m->hv->partition, vp, sint, msg);
}

static uint16_t side_signal_event(struct machine *m, uint32_t vp, unsigned sint, uint16_t flag)
{
	return hv_synic_signal_event(m->hv->partition, vp, sint, flag);
}

static uint16_t side_raise(struct machine *m, uint32_t vp, unsigned sint)
{
	return hv_synic_raise(m->hv->partition, vp, sint);
}

static const struct hv_side user_side = {
	.cpuid = hv_host_cpuid,
	.ready = hv_host_ready,
	.prepare_vp = hv_host_prepare_vp,
	.serve_vp = hv_host_serve_vp,
	.fd = hv_host_fd,
	.serve = hv_host_serve,
	.connect = side_connect,
	.disconnect = side_disconnect,
	.ports = side_ports,
	.post_message = side_post_message,
	.signal_event = side_signal_event,
	.raise_sint = side_raise,
};

static int hv_host_init(struct machine *m, void **state, struct err *e)
{
	struct hv_host *h;
	int ret;

	if (m->cfg->hyperv != HYPERV_USER)
		return 0;
	h = calloc(1, sizeof(*h));
	if (!h)
		return err_set(e, ENOMEM, "out of memory");
	*state = h;
	m->hv = h;
	m->hv_side = &user_side;
	h->m = m;
	h->timers.epoll_fd = -1;
	h->start_tsc = tsc_now();
	ret = make_partition(h, e);
	if (ret == 0)
		ret = take_msrs(h, e);
	return ret ? ret : claim(h);
}

const struct device_ops hv_device = {"Hyper-V", hv_host_init, hv_host_fini};

struct hv_partition *hv_host_partition(const struct hv_host *h)
{
	return h->partition;
}

struct hv_vp_context *hv_host_context(struct hv_host *h, uint32_t vp)
{
	return &h->context[vp];
}

const char *hv_host_last_words(const struct hv_host *h)
{
	return h->last_words;
}
