/* SPDX-License-Identifier: MIT */
/* A host for hyperv/ without a VM. */
#include "tests/unit/fake_hv_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not one of Check's: the fuzzer's host has no test around it. */
static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "fake host: %s\n", what);
	abort();
}

static void *gpa_ptr(void *ctx, uint64_t gpa, uint64_t size)
{
	struct fake_hv_host *h = ctx;
	uint64_t off = gpa - FAKE_RAM_BASE;

	if (gpa < FAKE_RAM_BASE || off >= FAKE_RAM_SIZE || size > FAKE_RAM_SIZE - off)
		return NULL;
	return h->ram + off;
}

static void reset(void *ctx)
{
	struct fake_hv_host *h = ctx;

	atomic_fetch_add(&h->resets, 1);
}

static uint64_t guest_tsc(void *ctx, uint32_t vp)
{
	struct fake_hv_host *h = ctx;

	must(vp < FAKE_VPS_MAX, "no such VP");
	return atomic_load(&h->guest_tsc);
}

static uint64_t vp_runtime_100ns(void *ctx, uint32_t vp)
{
	struct fake_hv_host *h = ctx;

	return h->runtime_100ns + vp;
}

static void irq(void *ctx, uint32_t vp, uint8_t vector, bool auto_eoi)
{
	struct fake_hv_host *h = ctx;

	must(vp < FAKE_VPS_MAX, "no such VP");
	must(vector >= 16, "no such vector");
	atomic_store(&h->last_vector[vp], vector);
	atomic_store(&h->last_auto_eoi[vp], auto_eoi);
	atomic_fetch_add(&h->irqs[vp], 1);
}

static void timer_arm(void *ctx, uint32_t vp, unsigned n, uint64_t due_100ns)
{
	struct fake_hv_host *h = ctx;
	uint64_t now = atomic_load(&h->guest_tsc) / 2;

	must(due_100ns <= now || due_100ns - now <= HV_STIMER_HORIZON_100NS, "due too late");
	h->timer[vp][n].armed = true;
	h->timer[vp][n].due_100ns = due_100ns;
	h->timer[vp][n].arms++;
}

static void timer_disarm(void *ctx, uint32_t vp, unsigned n)
{
	struct fake_hv_host *h = ctx;

	must(h->timer[vp][n].armed, "disarmed a timer that is not armed");
	h->timer[vp][n].armed = false;
	h->timer[vp][n].disarms++;
}

static void crash(void *ctx, uint32_t vp, const uint64_t params[HV_CRASH_PARAMS],
		  const char *message, size_t len)
{
	struct fake_hv_host *h = ctx;

	(void)vp;
	must(len <= HV_CRASH_MESSAGE_MAX, "last words too long");
	h->crashes++;
	memcpy(h->crash_params, params, sizeof(h->crash_params));
	h->crash_len = message ? len : SIZE_MAX;
	if (message)
		memcpy(h->crash_message, message, len);
}

static void tsc_invariant(void *ctx, uint32_t vp)
{
	struct fake_hv_host *h = ctx;

	(void)vp;
	h->invariant_tscs++;
}

static void xmm_read(void *ctx, uint32_t vp, uint8_t xmm[HV_HYPERCALL_XMM_BYTES])
{
	struct fake_hv_host *h = ctx;

	(void)vp;
	h->xmm_reads++;
	memcpy(xmm, h->xmm, sizeof(h->xmm));
}

static void spin_wait(void *ctx, uint32_t vp)
{
	struct fake_hv_host *h = ctx;

	(void)vp;
	h->spins++;
}

static uint32_t apic_id(void *ctx, uint32_t vp)
{
	(void)ctx;
	return FAKE_APIC_ID(vp);
}

static uint16_t start_vp(void *ctx, uint32_t vp, const struct hv_vp_context *context)
{
	struct fake_hv_host *h = ctx;

	h->starts++;
	h->started_vp = vp;
	h->started = *context;
	return h->start_status;
}

const struct hv_host_ops fake_hv_host_ops = {
	.gpa_ptr = gpa_ptr,
	.reset = reset,
	.guest_tsc = guest_tsc,
	.vp_runtime_100ns = vp_runtime_100ns,
	.irq = irq,
	.timer_arm = timer_arm,
	.timer_disarm = timer_disarm,
	.crash = crash,
	.tsc_invariant = tsc_invariant,
	.xmm_read = xmm_read,
	.spin_wait = spin_wait,
	.apic_id = apic_id,
	.start_vp = start_vp,
};

struct hv_features fake_all_features(void)
{
	struct hv_features set;

	hv_features_default(&set, HV_MODE_USER, &fake_hv_host_ops);
	for (unsigned f = 0; f < HV_FEATURES; f++) {
		if (hv_feature_row(f)->modes & HV_MODE_USER)
			set.on |= HV_FEATURE_BIT(f);
	}
	set.spin_retries = 4095;
	return set;
}

void fake_set_time(struct fake_hv_host *h, uint64_t t_100ns)
{
	atomic_store(&h->guest_tsc, 2 * t_100ns);
}

/* The timer that is due first, at t_100ns at the latest. */
static struct fake_hv_timer *next_timer(struct fake_hv_host *h, uint64_t t_100ns, uint32_t *vp,
					unsigned *n)
{
	struct fake_hv_timer *first = NULL;

	for (unsigned i = 0; i < FAKE_VPS_MAX * HV_STIMER_COUNT; i++) {
		struct fake_hv_timer *t = &h->timer[i / HV_STIMER_COUNT][i % HV_STIMER_COUNT];

		if (!t->armed || t->due_100ns > t_100ns ||
		    (first && t->due_100ns >= first->due_100ns))
			continue;
		first = t;
		*vp = i / HV_STIMER_COUNT;
		*n = i % HV_STIMER_COUNT;
	}
	return first;
}

void fake_pass_to(struct fake_hv_host *h, uint64_t t_100ns)
{
	struct fake_hv_timer *t;
	uint32_t vp;
	unsigned n;

	while ((t = next_timer(h, t_100ns, &vp, &n))) {
		if (t->due_100ns > atomic_load(&h->guest_tsc) / 2)
			fake_set_time(h, t->due_100ns);
		t->armed = false;
		hv_stimer_expired(h->p, vp, n);
	}
	fake_set_time(h, t_100ns);
}

static uint8_t pristine_byte(size_t off)
{
	return (off / HV_HYP_PAGE_SIZE + 1) * 31 + off;
}

void fake_hv_host_init(struct fake_hv_host *h)
{
	/* On the heap and no larger than promised, so that ASan sees a step past its end. */
	*h = (struct fake_hv_host){.ram = malloc(FAKE_RAM_SIZE)};
	must(h->ram, "out of memory");
	for (size_t i = 0; i < FAKE_RAM_SIZE; i++)
		h->ram[i] = pristine_byte(i);
}

void fake_hv_host_fini(struct fake_hv_host *h)
{
	free(h->ram);
	h->ram = NULL;
}

uint64_t fake_page_gpa(unsigned page)
{
	return FAKE_RAM_BASE + (uint64_t)page * HV_HYP_PAGE_SIZE;
}

uint8_t *fake_page(struct fake_hv_host *h, unsigned page)
{
	return h->ram + (size_t)page * HV_HYP_PAGE_SIZE;
}

static bool range_pristine(const struct fake_hv_host *h, size_t off, size_t end)
{
	while (off < end && h->ram[off] == pristine_byte(off))
		off++;
	return off == end;
}

bool fake_ram_pristine(const struct fake_hv_host *h)
{
	return range_pristine(h, 0, FAKE_RAM_SIZE);
}

bool fake_page_pristine(const struct fake_hv_host *h, unsigned page)
{
	size_t off = (size_t)page * HV_HYP_PAGE_SIZE;

	return range_pristine(h, off, off + HV_HYP_PAGE_SIZE);
}
