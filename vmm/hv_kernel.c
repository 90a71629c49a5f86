/* SPDX-License-Identifier: MIT */
/* Kernel mode: what KVM's own Hyper-V is to offer, and the exits that it leaves to user space. */
#include "vmm/hv_kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "vmm/host_caps.h"
#include "vmm/hv_kernel_state.h"
#include "vmm/hv_side.h"

#define EVENTS_A_CALL 64

static const struct host_cap_row needed[] = {
	HOST_CAP_ROW(KVM_CAP_HYPERV),
	HOST_CAP_ROW(KVM_CAP_HYPERV_SYNIC2),
	HOST_CAP_ROW(KVM_CAP_SYS_HYPERV_CPUID),
	HOST_CAP_ROW(KVM_CAP_HYPERV_ENFORCE_CPUID),
};

int hv_kernel_check(struct kvm *k, struct err *e)
{
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (kvm_capability(k, needed[i].number) <= 0)
			return err_set(e, ENOTSUP,
				       "--hyperv kernel: this host's KVM lacks %s; --hyperv user "
				       "needs none of its Hyper-V",
				       needed[i].name);
	}
	return 0;
}

/* KVM's entry of a leaf; all zero where it has none. */
static struct kvm_cpuid_entry2 offered(struct cpuid_set *kvm, uint32_t function)
{
	const struct kvm_cpuid_entry2 *entry = cpuid_find(kvm, function, 0);

	return entry ? *entry : (struct kvm_cpuid_entry2){.function = function};
}

/*
 * Hints that KVM need not know, as it does nothing about them. Auto-EOI works in kernel mode, so
 * that only `avic` advises against it.
 */
static uint32_t advice(const struct hv_features *set)
{
	return hv_features_have(set, HV_FEATURE_AVIC) ? HV_DEPRECATING_AEOI_RECOMMENDED : 0;
}

static bool kvm_has(const struct hv_feature_row *row, struct cpuid_set *kvm)
{
	struct kvm_cpuid_entry2 features = offered(kvm, HYPERV_CPUID_FEATURES);
	struct kvm_cpuid_entry2 hints = offered(kvm, HYPERV_CPUID_ENLIGHTMENT_INFO);

	return !(row->features_eax & ~features.eax) && !(row->features_ebx & ~features.ebx) &&
	       !(row->features_edx & ~features.edx) &&
	       !(row->hints_eax & ~(hints.eax | HV_DEPRECATING_AEOI_RECOMMENDED));
}

int hv_kernel_restrict(struct hv_features *set, const struct hv_features *named,
		       struct cpuid_set *kvm, struct err *e)
{
	/* A feature comes after those that it needs. */
	for (unsigned f = 0; f < HV_FEATURES; f++) {
		const struct hv_feature_row *row = hv_feature_row(f);

		if (!hv_features_have(set, f) || (kvm_has(row, kvm) && !(row->needs & ~set->on)))
			continue;
		if (hv_features_have(named, f))
			return err_set(e, ENOTSUP, "--hv: this host's KVM does not have %s",
				       row->name);
		set->on &= ~HV_FEATURE_BIT(f);
	}
	return 0;
}

struct kernel_sink {
	struct hv_leaf_sink leaves;
	const struct hv_features *features;
	struct cpuid_set *kvm;
};

/* One of user mode's leaves, made into what KVM keeps. */
static void add_leaf(void *ctx, uint32_t function, const uint32_t reg[4])
{
	struct kernel_sink *s = ctx;
	struct kvm_cpuid_entry2 kvm = offered(s->kvm, function);
	bool evmcs = hv_features_have(s->features, HV_FEATURE_EVMCS);
	uint32_t r[4] = {reg[0], reg[1], reg[2], reg[3]};

	switch (function) {
	case HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS:
		r[0] = evmcs ? HYPERV_CPUID_NESTED_FEATURES : HYPERV_CPUID_IMPLEMENT_LIMITS;
		break;
	case HYPERV_CPUID_FEATURES:
		r[0] &= kvm.eax;
		r[1] &= kvm.ebx;
		r[3] &= kvm.edx;
		break;
	case HYPERV_CPUID_ENLIGHTMENT_INFO:
		r[0] &= kvm.eax & ~HV_DEPRECATING_AEOI_RECOMMENDED;
		r[0] |= advice(s->features);
		break;
	case HYPERV_CPUID_NESTED_FEATURES:
		memcpy(r, (uint32_t[]){kvm.eax, kvm.ebx, kvm.ecx, kvm.edx}, sizeof(r));
		break;
	case HYPERV_CPUID_VIRT_STACK_PROPERTIES:
		r[0] = hv_features_have(s->features, HV_FEATURE_SYNDBG) ? kvm.eax : 0;
		break;
	default:
		break;
	}
	if (!evmcs && function > HYPERV_CPUID_IMPLEMENT_LIMITS &&
	    function <= HYPERV_CPUID_NESTED_FEATURES)
		return;
	hv_leaf_add(&s->leaves, function, r);
}

size_t hv_kernel_leaves(const struct hv_config *cfg, struct cpuid_set *kvm,
			struct kvm_cpuid_entry2 *out, size_t max)
{
	struct kernel_sink s = {{out, max, 0}, &cfg->features, kvm};

	hv_cpuid_each(cfg, add_leaf, &s);
	return s.leaves.count;
}

static size_t side_cpuid(const struct machine *m, struct kvm_cpuid_entry2 *out, size_t max)
{
	return hv_kernel_leaves(&m->hv_kernel->cfg, &m->hv_kernel->kvm, out, max);
}

static int enable_evmcs(struct vp *vp, struct err *e)
{
	uint16_t version; /* KVM writes what it has; CPUID says it to the guest */

	return kvm_vp_enable_cap(&vp->m->kvm, &vp->kvm, KVM_CAP_HYPERV_ENLIGHTENED_VMCS,
				 (uintptr_t)&version, e);
}

/* Before CPUID arrives, as from then on KVM goes by what is enabled. */
static int side_prepare_vp(struct vp *vp, struct err *e)
{
	const struct hv_features *on = &vp->m->hv_kernel->cfg.features;
	struct kvm *k = &vp->m->kvm;
	int ret = kvm_vp_enable_cap(k, &vp->kvm, KVM_CAP_HYPERV_ENFORCE_CPUID, 1, e);

	if (ret == 0 && hv_features_have(on, HV_FEATURE_SYNIC))
		ret = kvm_vp_enable_cap(k, &vp->kvm, KVM_CAP_HYPERV_SYNIC2, 0, e);
	if (ret == 0 && hv_features_have(on, HV_FEATURE_EVMCS))
		ret = enable_evmcs(vp, e);
	/* The partition's register, which says what we do about a crash: see on_crash(). */
	if (ret == 0 && vp->index == 0 && hv_features_have(on, HV_FEATURE_CRASH))
		ret = kvm_vp_set_msr(k, &vp->kvm, HV_X64_MSR_CRASH_CTL, HV_CRASH_CTL_NOTIFY, e);
	return ret;
}

static int side_serve_vp(struct vp *vp, unsigned requests, struct err *e)
{
	(void)e;
	if (requests & VP_REQUEST_MESSAGES)
		hv_kernel_synic_flush(vp->m->hv_kernel, vp->index);
	return 0;
}

int hv_kernel_watch(struct hv_kernel *h, struct hv_watch *w)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = w};

	return epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD, w->fd, &event) < 0 ? -errno : 0;
}

static int side_fd(const struct machine *m)
{
	return m->hv_kernel->epoll_fd;
}

static void side_serve(struct machine *m)
{
	struct hv_kernel *h = m->hv_kernel;
	struct epoll_event event[EVENTS_A_CALL];
	int n = epoll_wait(h->epoll_fd, event, EVENTS_A_CALL, 0);

	for (int i = 0; i < n; i++) {
		struct hv_watch *w = event[i].data.ptr;
		uint64_t count;

		if (read(w->fd, &count, sizeof(count)) == sizeof(count))
			w->fn(h, w);
	}
}

static const struct hv_ports *side_ports(const struct machine *m)
{
	return &m->hv_kernel->ports;
}

static const struct hv_side kernel_side = {
	.cpuid = side_cpuid,
	.prepare_vp = side_prepare_vp,
	.serve_vp = side_serve_vp,
	.fd = side_fd,
	.serve = side_serve,
	.connect = hv_kernel_connect,
	.disconnect = hv_kernel_disconnect,
	.ports = side_ports,
	.post_message = hv_kernel_post_message,
	.signal_event = hv_kernel_signal_event,
	.raise_sint = hv_kernel_raise,
};

/* Of the debugger's registers KVM tells what a debugger would want to know. */
static void on_hyperv(void *ctx, struct vp_exit *x)
{
	struct machine *m = ctx;

	if (x->hyperv.type == KVM_EXIT_HYPERV_HCALL)
		x->hyperv.result = hv_kernel_hypercall(&m->hv_kernel->ports, &m->mem, x->vp,
						       x->hyperv.control, x->hyperv.input);
	else if (x->hyperv.type == KVM_EXIT_HYPERV_SYNIC)
		hv_kernel_synic_changed(m->hv_kernel, x);
}

/* KVM keeps the parameters of a crash; it has no place for last words. */
static void on_crash(void *ctx, uint32_t vp)
{
	struct machine *m = ctx;
	uint64_t params[HV_CRASH_PARAMS] = {0};
	struct err e;
	int ret = 0;

	for (uint32_t i = 0; i < HV_CRASH_PARAMS && ret == 0; i++)
		ret = kvm_vp_get_msr(&m->kvm, &m->vp[vp].kvm, HV_X64_MSR_CRASH_P0 + i, &params[i],
				     &e);
	if (ret)
		outcome_set(&m->outcome, OUTCOME_CRASH, 0, "VP %u reported it (%s)", vp, e.text);
	else
		hv_report_crash(&m->outcome, vp, params);
}

static int choose_features(struct hv_kernel *h, struct err *e)
{
	const struct vm_config *cfg = h->m->cfg;
	struct hv_features named = {0};
	char msg[sizeof(e->text)];
	int ret = kvm_supported_hv_cpuid(&h->m->kvm, &h->kvm, e);

	if (ret)
		return ret;
	if (cfg->hv && hv_features_parse(&named, cfg->hv, msg, sizeof(msg)))
		return err_set(e, EINVAL, "--hv: %s", msg);
	h->cfg.features = h->m->hv_features;
	return hv_kernel_restrict(&h->cfg.features, &named, &h->kvm, e);
}

static int hv_kernel_init(struct machine *m, void **state, struct err *e)
{
	struct hv_kernel *h;
	int ret;

	if (m->cfg->hyperv != HYPERV_KERNEL)
		return 0;
	ret = hv_kernel_check(&m->kvm, e);
	if (ret)
		return ret;
	h = calloc(1, sizeof(*h));
	if (!h)
		return err_set(e, ENOMEM, "out of memory");
	*state = h;
	h->m = m;
	h->cfg.vps = m->topology.vps;
	m->hv_kernel = h;
	m->hv_side = &kernel_side;
	m->exit_env.on_crash = on_crash;
	m->exit_env.on_hyperv = on_hyperv;
	m->exit_env.ctx = m;
	h->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (h->epoll_fd < 0)
		return err_set(e, errno, "can't create an epoll descriptor: %s", strerror(errno));
	hv_ports_init(&h->ports);
	pthread_mutex_init(&h->event_lock, NULL);
	ret = choose_features(h, e);
	return ret ? ret : hv_kernel_synic_init(h, e);
}

static void hv_kernel_fini(void *state)
{
	struct hv_kernel *h = state;

	if (!h)
		return;
	hv_kernel_port_fini(h);
	hv_kernel_synic_fini(h);
	if (h->epoll_fd >= 0)
		close(h->epoll_fd);
	free(h);
}

const struct device_ops hv_kernel_device = {"Hyper-V in KVM", hv_kernel_init, hv_kernel_fini};
