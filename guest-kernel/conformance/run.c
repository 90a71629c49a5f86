/* SPDX-License-Identifier: MIT */
/* The table of test bodies, and the way through it. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/abi/tests.h"
#include "guest-kernel/kernel.h"
#include "guest-kernel/shutdown.h"
#include "guest-kernel/string.h"

#define NAMES_MAX 256

static bool has_synic(const struct conf *c)
{
	return conf_has_eax(c, HV_MSR_SYNIC_AVAILABLE);
}

static bool has_time(const struct conf *c)
{
	return conf_has_eax(c, HV_MSR_TIME_REF_COUNT_AVAILABLE);
}

static bool has_stimer(const struct conf *c)
{
	return conf_has_eax(c, HV_MSR_SYNTIMER_AVAILABLE | HV_MSR_TIME_REF_COUNT_AVAILABLE);
}

static bool has_synic_stimer(const struct conf *c)
{
	return has_synic(c) && has_stimer(c);
}

static bool has_connections(const struct conf *c)
{
	return conf_has_ebx(c, HV_POST_MESSAGES | HV_SIGNAL_EVENTS);
}

static bool has_ports(const struct conf *c)
{
	return has_synic(c) && has_connections(c);
}

static bool has_start_vp(const struct conf *c)
{
	return conf_has_ebx(c, HV_START_VIRTUAL_PROCESSOR);
}

static bool has_vp_registers(const struct conf *c)
{
	return conf_has_ebx(c, HV_ACCESS_VP_REGISTERS);
}

static bool has_ipi(const struct conf *c)
{
	return conf_has_hint(c, HV_X64_CLUSTER_IPI_RECOMMENDED);
}

static bool has_flush(const struct conf *c)
{
	return conf_has_hint(c, HV_X64_REMOTE_TLB_FLUSH_RECOMMENDED);
}

static bool has_crash(const struct conf *c)
{
	return conf_has_edx(c, HV_FEATURE_GUEST_CRASH_MSR_AVAILABLE);
}

static bool has_tsc_invariant(const struct conf *c)
{
	return conf_has_eax(c, HV_ACCESS_TSC_INVARIANT);
}

static const char *const names[] = {TEST_NAMES};

/* In the order of names[]. Each one leaves the MSRs as it found them, as far as that can be done. */
static const struct conf_body bodies[] = {
	{conf_start_vp, has_start_vp, CONF_BEFORE | CONF_CALLS | CONF_VP1},
	{conf_cpuid, NULL, 0},
	{conf_msr, NULL, 0},
	{conf_overlay, NULL, 0},
	{conf_hypercall, NULL, CONF_CALLS},
	{conf_privilege, NULL, CONF_CALLS},
	{conf_small_calls, NULL, CONF_CALLS},
	{conf_time, has_time, 0},
	{conf_synic, has_synic, 0},
	{conf_message, has_synic_stimer, 0},
	{conf_connection, has_connections, CONF_CALLS},
	{conf_post, has_ports, CONF_CALLS},
	{conf_signal, has_ports, CONF_CALLS},
	{conf_stimer, has_stimer, 0},
	{conf_lateness, has_stimer, 0},
	{conf_ipi, has_ipi, CONF_CALLS | CONF_VP1},
	{conf_flush, has_flush, CONF_CALLS},
	{conf_vp_registers, has_vp_registers, CONF_CALLS},
	{conf_crash, has_crash, 0},
	{conf_assist, NULL, 0},
	{conf_bad_input, NULL, 0},
	{conf_tsc_invariant, has_tsc_invariant, 0},
};

#define BODIES (sizeof(bodies) / sizeof(bodies[0]))

_Static_assert(BODIES == sizeof(names) / sizeof(names[0]), "a name for each");

/* Is the first word of list, which a comma or the end follows, this one? */
static bool word_is(const char *list, const char *word)
{
	while (*word != '\0' && *list == *word) {
		list++;
		word++;
	}
	return *word == '\0' && (*list == '\0' || *list == ',');
}

static const char *word_next(const char *list)
{
	while (*list != '\0' && *list != ',')
		list++;
	return *list == ',' ? list + 1 : NULL;
}

static bool is_asked_for(const char *list, const char *name)
{
	for (; list; list = word_next(list)) {
		if (word_is(list, TEST_ALL) || word_is(list, name))
			return true;
	}
	return false;
}

static bool exists(const char *word)
{
	size_t i;

	for (i = 0; i < BODIES; i++) {
		if (word_is(word, names[i]))
			return true;
	}
	return word_is(word, TEST_ALL);
}

void conf_check_names(const char *list)
{
	char buf[NAMES_MAX];
	struct text list_text = {.buf = buf, .size = sizeof(buf)};
	const char *word;
	size_t i;

	for (word = list; word; word = word_next(word)) {
		if (exists(word))
			continue;
		for (i = 0; i < BODIES; i++)
			text_add(&list_text, " %s", names[i]);
		fail("test=%s: it must be all, or a list of%s", list, buf);
	}
}

void conf_prepare(struct conf *c)
{
	conf_check_names(kernel.options.test);
	conf_snapshot_take(&c->snapshot);
	/* The boot VP then meets each VP when it comes online: see ap_main(). */
	kernel.options.smp = TRACE_SMP_SERIAL;
}

static const char *why_not(const struct conf *c, const struct conf_body *b)
{
	if (b->supported && !b->supported(c))
		return "not offered";
	if (b->needs & CONF_CALLS && !c->call_page)
		return c->no_calls;
	if (b->needs & CONF_VP1 && kernel.vp_table.count < 2)
		return "one VP only";
	return NULL;
}

static void run_bodies(struct conf *c, unsigned when)
{
	const struct conf_body *b;
	const char *reason;
	size_t i;

	for (i = 0; i < BODIES; i++) {
		b = &bodies[i];
		if ((b->needs & CONF_BEFORE) != when ||
		    !is_asked_for(kernel.options.test, names[i]))
			continue;
		c->body = names[i];
		reason = why_not(c, b);
		if (reason)
			conf_skip(c, reason, "all of it");
		else
			b->fn(c);
		conf_flush_text(c);
	}
}

void conf_begin(struct conf *c, const char *body)
{
	const struct hypervisor *h = &kernel.hypervisor;

	c->out = (struct text){.buf = c->text, .size = sizeof(c->text)};
	c->body = body;
	c->max_leaf = cpu_cpuid(HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS).eax;
	c->features = cpu_cpuid(HYPERV_CPUID_FEATURES);
	c->hints = cpu_cpuid(HYPERV_CPUID_ENLIGHTMENT_INFO);
	if (!h->hypercall_ready)
		c->no_calls = "no hypercall page";
	else if (hypervisor_page_has_vmcall(h) && !kernel.options.vmcall)
		c->no_calls = "the page holds VMCALL or VMMCALL, and no vmcall=ok was given";
	else
		c->call_page = h->hypercall_page;
}

static _Noreturn void finish(struct conf *c)
{
	text_add(&c->out, "1..%u\n", c->passed + c->failed + c->skipped);
	c->lines++;
	conf_flush_text(c);
	console_line("conformance: %u passed, %u failed, %u skipped", c->passed, c->failed,
		     c->skipped);
	frames_send(&kernel.frames);
	guest_exit(c->failed == 0 ? GUEST_EXIT_OK : GUEST_EXIT_FAIL);
}

_Noreturn void conf_run(struct conf *c)
{
	conf_begin(c, "interface");
	if (!conf_ok(c, kernel.hypervisor.kind == TRACE_HV_HYPERV,
		     "the hypervisor is Hyper-V, with hypercall and VP index MSRs"))
		finish(c);
	cpu_sti();
	run_bodies(c, CONF_BEFORE);
	c->body = "bring-up";
	c->others_run = smp_bring_up();
	tick_stop(&kernel.tick, &kernel.apic);
	if (!conf_ok(c, c->others_run, "all VPs come online by INIT and SIPI")) {
		smp_report_missing();
		finish(c);
	}
	cpu_sti();
	run_bodies(c, 0);
	finish(c);
}
