/* SPDX-License-Identifier: MIT */
/* One virtual processor: a KVM VCPU and the thread that runs it. */
#include "vmm/vp.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "vmm/hv_side.h"
#include "vmm/layout.h"
#include "vmm/machine.h"
#include "vmm/steal_thread.h"
#include "vmm/tsc.h"

#define KICK_SIGNAL       SIGUSR1
#define STACK_BYTES       (256 * 1024)
#define APIC_BASE_EXTD    (1u << 10)
#define APIC_BASE_EN      (1u << 11)
#define APIC_ID_XAPIC_MAX 254
#define CR0_PE            (1u << 0)
#define CR0_ET            (1u << 4)
#define CR0_PG            (1u << 31)
#define CR4_PAE           (1u << 5)
#define EFER_LME          (1u << 8)
#define EFER_LMA          (1u << 10)

static void on_kick(int sig)
{
	(void)sig; /* its arrival is all that counts: KVM_RUN returns EINTR */
}

int vp_setup_kick(struct err *e)
{
	struct sigaction sa = {.sa_handler = on_kick};

	if (sigaction(KICK_SIGNAL, &sa, NULL) < 0)
		return err_set(e, errno, "can't handle signal %d: %s", KICK_SIGNAL,
			       strerror(errno));
	return 0;
}

static struct kvm_segment flat_segment(uint8_t type, uint16_t selector)
{
	return (struct kvm_segment){
		.limit = 0xffffffff,
		.selector = selector,
		.type = type,
		.present = 1,
		.db = 1,
		.s = 1,
		.g = 1,
	};
}

void vp_set_protected_mode(struct kvm_sregs *s)
{
	s->cs = flat_segment(0xb, 0x8);
	s->ds = s->es = s->fs = s->gs = s->ss = flat_segment(0x3, 0x10);
	s->cr0 = CR0_PE | CR0_ET;
	s->cr4 = 0;
}

/* 64-bit mode on page tables that are there: Linux's boot.rst, "64-bit boot protocol". */
static void set_long_mode(struct kvm_sregs *s, uint64_t cr3)
{
	s->cs = flat_segment(0xb, 0x10);
	s->cs.db = 0;
	s->cs.l = 1;
	s->ds = s->es = s->fs = s->gs = s->ss = flat_segment(0x3, 0x18);
	s->gdt = (struct kvm_dtable){.base = LAYOUT_BOOT_GDT, .limit = 4 * 8 - 1};
	s->cr0 = CR0_PG | CR0_PE | CR0_ET;
	s->cr3 = cr3;
	s->cr4 = CR4_PAE;
	s->efer = EFER_LME | EFER_LMA;
}

static int set_entry_state(struct vp *vp, struct err *e)
{
	struct machine *m = vp->m;
	struct kvm_regs regs = {
		.rip = m->boot.rip,
		.rax = m->boot.rax,
		.rbx = m->boot.rbx,
		.rsi = m->boot.rsi,
		.rflags = 2,
	};
	struct kvm_sregs s;
	int ret = kvm_vp_get_sregs(&m->kvm, &vp->kvm, &s, e);

	if (ret)
		return ret;
	if (m->boot.cr3)
		set_long_mode(&s, m->boot.cr3);
	else
		vp_set_protected_mode(&s);
	s.tr = (struct kvm_segment){.limit = 0x67, .type = 0xb, .present = 1, .selector = 0x18};
	/* A guest believes in APIC IDs above 254 only where x2APIC is on already. */
	if (m->topology.max_apic_id > APIC_ID_XAPIC_MAX)
		s.apic_base |= APIC_BASE_EN | APIC_BASE_EXTD;
	ret = kvm_vp_set_sregs(&m->kvm, &vp->kvm, &s, e);
	return ret ? ret : kvm_vp_set_regs(&m->kvm, &vp->kvm, &regs, e);
}

static int prepare(struct vp *vp, struct err *e)
{
	struct machine *m = vp->m;
	struct cpuid_set set;
	int ret;

	set.nent = m->cpuid->nent;
	set.padding = 0;
	memcpy(set.entry, m->cpuid->entry, set.nent * sizeof(set.entry[0]));
	cpuid_for_vp(&set, faults_shown(&m->faults.cpuid, &m->topology), vp->index);
	ret = m->hv_side ? m->hv_side->prepare_vp(vp, e) : 0;
	if (ret == 0)
		ret = kvm_vp_set_cpuid(&m->kvm, &vp->kvm, &set, e);
	if (ret == 0 && vp->index == 0) {
		atomic_store(&vp->started, true);
		/* Firmware starts where KVM starts a VP: at the reset vector. */
		if (!m->firmware.image)
			ret = set_entry_state(vp, e);
	}
	return ret;
}

int vp_complete_exit(struct vp *vp, struct err *e)
{
	int ret;

	__atomic_store_n(&vp->kvm.run->immediate_exit, 1, __ATOMIC_SEQ_CST);
	ret = kvm_vp_run(&vp->kvm);
	__atomic_store_n(&vp->kvm.run->immediate_exit, 0, __ATOMIC_SEQ_CST);
	return ret == -EINTR ? 0 : err_set(e, EIO, "KVM_RUN did not return at once (%d)", ret);
}

/* Does what others asked for. False: it failed, and the outcome is set. */
static bool between_entries(struct vp *vp)
{
	const struct hv_side *side = vp->m->hv_side;
	unsigned requests;
	struct err e;

	if (!atomic_load_explicit(&vp->requests, memory_order_relaxed))
		return true;
	requests = atomic_exchange(&vp->requests, 0);
	if (requests & VP_REQUEST_STEAL)
		steal_serve(vp);
	if (!side || !side->serve_vp(vp, requests, &e))
		return true;
	outcome_set(&vp->m->outcome, OUTCOME_HOST_ERROR, 0, "VP %u: %s", vp->index, e.text);
	return false;
}

/*
 * KVM_RUN came back without an exit. Kicks set immediate_exit after what they are about; so it is
 * cleared before the caller looks at that. False: the VP is not to run again.
 */
static bool on_no_exit(struct vp *vp, int ret)
{
	struct err e = {""};

	if (ret == -EINTR) {
		__atomic_store_n(&vp->kvm.run->immediate_exit, 0, __ATOMIC_SEQ_CST);
		return true;
	}
	/* EAGAIN: INIT or SIPI reached a VP that waited for it. */
	atomic_store(&vp->started, true);
	if (vp->times.wake_tsc)
		return true;
	vp->times.wake_tsc = tsc_now();
	if (vp->m->faults.count == 0 || faults_on_wake(vp, &e))
		return true;
	if (e.text[0])
		outcome_set(&vp->m->outcome, OUTCOME_HOST_ERROR, 0, "VP %u: %s", vp->index, e.text);
	return false;
}

/* Returns when the VP is not to run again. */
static void run_loop(struct vp *vp)
{
	struct machine *m = vp->m;
	struct vp_exit x;
	int ret;

	vp->times.first_entry_tsc = tsc_now();
	while (!atomic_load_explicit(&m->stopping, memory_order_relaxed)) {
		if (!between_entries(vp))
			return;
		ret = kvm_vp_run(&vp->kvm);
		vp->times.exits++;
		if (ret == -EAGAIN || ret == -EINTR) {
			if (!on_no_exit(vp, ret))
				return;
			continue;
		}
		if (ret) {
			outcome_set(&m->outcome, OUTCOME_HOST_ERROR, (uint32_t)-ret,
				    "KVM_RUN failed on VP %u: %s", vp->index, strerror(-ret));
			return;
		}
		exit_decode(&x, vp->kvm.run, vp->index);
		vp->reasons[x.reason < EXIT_REASONS ? x.reason : EXIT_REASONS - 1]++;
		if (exit_dispatch(&m->exit_env, &x) == EXIT_STOP)
			return;
		exit_encode(&x, vp->kvm.run);
	}
}

static void *vp_thread(void *arg)
{
	struct vp *vp = arg;
	struct err e;

	vp->times.thread_tsc = tsc_now();
	vp->self = pthread_self();
	/* From here on kicks arrive; what was asked before is seen by the first look. */
	atomic_store(&vp->running, true);
	atomic_thread_fence(memory_order_seq_cst);
	if (prepare(vp, &e))
		outcome_set(&vp->m->outcome, OUTCOME_HOST_ERROR, 0, "VP %u: %s", vp->index, e.text);
	else
		run_loop(vp);
	return NULL;
}

int vp_start(struct vp *vp, struct err *e)
{
	pthread_attr_t attr;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	ret = pin_bind(&vp->m->pin, vp->index, &attr);
	if (ret == 0)
		ret = pthread_create(&vp->thread, &attr, vp_thread, vp);
	pthread_attr_destroy(&attr);
	if (ret)
		return err_set(e, ret, "can't start the thread of VP %u: %s", vp->index,
			       strerror(ret));
	vp->joinable = true;
	return 0;
}

void vp_kick_thread(const struct kvm_vp *vp, pthread_t thread)
{
	/* Set first: should the signal come just before KVM_RUN, that returns at once. */
	__atomic_store_n(&vp->run->immediate_exit, 1, __ATOMIC_SEQ_CST);
	pthread_kill(thread, KICK_SIGNAL);
}

void vp_kick(struct vp *vp)
{
	if (!atomic_load(&vp->running))
		return; /* it will look before it enters the guest */
	vp_kick_thread(&vp->kvm, vp->self);
}

void vp_join(struct vp *vp)
{
	if (!vp->joinable)
		return;
	pthread_join(vp->thread, NULL);
	vp->joinable = false;
	atomic_store(&vp->running, false);
}

void vp_request(struct vp *vp, enum vp_request request)
{
	atomic_fetch_or(&vp->requests, request);
	vp_kick(vp);
}

struct kvm_regs *vp_regs(struct vp *vp)
{
	return &vp->kvm.run->s.regs.regs;
}

void vp_regs_changed(struct vp *vp)
{
	vp->kvm.run->kvm_dirty_regs = KVM_SYNC_X86_REGS;
}
