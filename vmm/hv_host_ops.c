/* SPDX-License-Identifier: MIT */
/* What the Hyper-V library asks of its host, done with KVM. */
#include "vmm/hv_host_ops.h"

#include <ctype.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "vmm/hv_auto_eoi.h"
#include "vmm/hv_host.h"
#include "vmm/hv_side.h"
#include "vmm/hv_start_vp.h"
#include "vmm/tsc.h"

static void host_error(struct hv_host *h, uint32_t vp, const struct err *e)
{
	outcome_set(&h->m->outcome, OUTCOME_HOST_ERROR, 0, "Hyper-V on VP %u: %s", vp, e->text);
}

static void *op_gpa_ptr(void *ctx, uint64_t addr, uint64_t size)
{
	struct hv_host *h = ctx;

	return mem_ptr(&h->m->mem, gpa(addr), size);
}

static void op_reset(void *ctx)
{
	struct hv_host *h = ctx;

	outcome_set(&h->m->outcome, OUTCOME_RESET, 0, NULL);
}

static uint64_t op_guest_tsc(void *ctx, uint32_t vp)
{
	struct hv_host *h = ctx;

	(void)vp; /* all VPs share one TSC */
	return tsc_now() + h->tsc_offset;
}

/* The time that the VP's thread ran, in the guest and for it. */
static uint64_t op_vp_runtime(void *ctx, uint32_t vp)
{
	struct timespec t;

	(void)ctx;
	(void)vp;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 10000000 + (uint64_t)t.tv_nsec / 100;
}

static void op_irq(void *ctx, uint32_t vp, uint8_t vector, bool auto_eoi)
{
	struct hv_host *h = ctx;
	struct err e;

	if (auto_eoi)
		hv_auto_eoi_raise(&h->m->vp[vp], vector);
	else if (kvm_interrupt(&h->m->kvm, h->m->topology.vp[vp].apic_id, vector, &e))
		host_error(h, vp, &e);
}

/* From now to the due time on the host's clock, rounded up: a timer must not be early. */
static uint64_t delay_ns(const struct hv_host *h, uint64_t due_100ns)
{
	uint64_t due_tsc = hv_ref_time_to_tsc(h->partition, due_100ns);
	uint64_t now_tsc = tsc_now() + h->tsc_offset;
	unsigned __int128 ticks;

	if (due_tsc <= now_tsc)
		return 0;
	ticks = due_tsc - now_tsc;
	return (uint64_t)(ticks * 1000000000 / h->cfg.tsc_hz) + 1;
}

static void op_timer_arm(void *ctx, uint32_t vp, unsigned n, uint64_t due_100ns)
{
	struct hv_host *h = ctx;
	struct err e;
	int ret = hv_timers_arm(&h->timers, vp, n, delay_ns(h, due_100ns));

	if (ret) {
		err_set(&e, -ret, "can't arm a timer: %s", strerror(-ret));
		host_error(h, vp, &e);
	}
}

static void op_timer_disarm(void *ctx, uint32_t vp, unsigned n)
{
	struct hv_host *h = ctx;

	hv_timers_disarm(&h->timers, vp, n);
}

/* Keeps what a person can read; the guest's bytes must not reach a terminal as they are. */
static void keep_last_words(struct hv_host *h, const char *message, size_t len)
{
	if (len > HV_LAST_WORDS_BYTES)
		len = HV_LAST_WORDS_BYTES;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)message[i];

		h->last_words[i] = (char)(isprint(c) || c == '\n' || c == '\t' ? c : ' ');
	}
	h->last_words[len] = '\0';
}

static void op_crash(void *ctx, uint32_t vp, const uint64_t params[HV_CRASH_PARAMS],
		     const char *message, size_t len)
{
	struct hv_host *h = ctx;
	bool first = false;

	if (!atomic_compare_exchange_strong(&h->crashed, &first, true))
		return;
	if (message)
		keep_last_words(h, message, len);
	hv_report_crash(&h->m->outcome, vp, params);
}

static void op_tsc_invariant(void *ctx, uint32_t vp)
{
	struct hv_host *h = ctx;

	/* A KVM without Hyper-V hides nothing and does not know the MSR. */
	if (h->kvm_has_hyperv)
		kvm_vp_set_msr(&h->m->kvm, &h->m->vp[vp].kvm, HV_X64_MSR_TSC_INVARIANT_CONTROL,
			       HV_EXPOSE_INVARIANT_TSC, NULL);
}

static void op_xmm_read(void *ctx, uint32_t vp, uint8_t xmm[HV_HYPERCALL_XMM_BYTES])
{
	struct hv_host *h = ctx;
	struct kvm_fpu fpu;
	struct err e;

	if (kvm_vp_get_fpu(&h->m->kvm, &h->m->vp[vp].kvm, &fpu, &e)) {
		memset(xmm, 0, HV_HYPERCALL_XMM_BYTES);
		host_error(h, vp, &e);
		return;
	}
	memcpy(xmm, fpu.xmm, HV_HYPERCALL_XMM_BYTES);
}

static void op_spin_wait(void *ctx, uint32_t vp)
{
	(void)ctx;
	(void)vp;
	sched_yield();
}

static uint32_t op_apic_id(void *ctx, uint32_t vp)
{
	struct hv_host *h = ctx;

	return h->m->topology.vp[vp].apic_id;
}

static uint16_t op_start_vp(void *ctx, uint32_t vp, const struct hv_vp_context *context)
{
	struct hv_host *h = ctx;

	return hv_start_vp(&h->m->vp[vp], context);
}

const struct hv_host_ops hv_host_ops = {
	.gpa_ptr = op_gpa_ptr,
	.reset = op_reset,
	.guest_tsc = op_guest_tsc,
	.vp_runtime_100ns = op_vp_runtime,
	.irq = op_irq,
	.timer_arm = op_timer_arm,
	.timer_disarm = op_timer_disarm,
	.crash = op_crash,
	.tsc_invariant = op_tsc_invariant,
	.xmm_read = op_xmm_read,
	.spin_wait = op_spin_wait,
	.apic_id = op_apic_id,
	.start_vp = op_start_vp,
};

static void on_timer(void *ctx, uint32_t vp, unsigned slot)
{
	struct hv_host *h = ctx;

	if (slot == HV_TIMER_RETRY)
		vp_request(&h->m->vp[vp], VP_REQUEST_AUTO_EOI);
	else
		hv_stimer_expired(h->partition, vp, slot);
}

int hv_host_fd(const struct machine *m)
{
	return m->hv->timers.epoll_fd;
}

void hv_host_serve(struct machine *m)
{
	hv_timers_serve(&m->hv->timers, on_timer, m->hv);
}

void hv_host_retry(struct vp *vp, uint64_t delay)
{
	struct hv_host *h = vp->m->hv;
	struct err e;
	int ret = hv_timers_arm(&h->timers, vp->index, HV_TIMER_RETRY, delay);

	if (ret) {
		err_set(&e, -ret, "can't arm a timer: %s", strerror(-ret));
		host_error(h, vp->index, &e);
	}
}
