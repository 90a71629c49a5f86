/* SPDX-License-Identifier: MIT */
/* Builds and writes result documents. */
#include "vmm/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vmm/cli.h"
#include "vmm/finding.h"
#include "vmm/metrics.h"

#define INTEGER_MAX 9007199254740992.0 /* 2^53: up to here a double holds every integer */

/*
 * The json_object_set_new() family takes NULL values and reports them as errors, so a chain of sets
 * can be checked once: every helper adds its failure to *bad.
 */
static void put(json_t *object, const char *key, json_t *value, bool *bad)
{
	if (json_object_set_new(object, key, value))
		*bad = true;
}

/* For facts that may be unknown: "" is written as null. */
static void put_text(json_t *object, const char *key, const char *text, bool *bad)
{
	put(object, key, *text ? json_string(text) : json_null(), bad);
}

json_t *result_text(const char *text)
{
	json_t *value = json_string(text);
	char *copy;

	if (value)
		return value;
	copy = strdup(text);
	for (char *c = copy; c && *c; c++) {
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	}
	value = json_string(copy);
	free(copy);
	return value;
}

static json_t *json_u64(uint64_t value)
{
	if (value > INT64_MAX) /* a guest's nonsense: the magnitude will do */
		return json_real((double)value);
	return json_integer((json_int_t)value);
}

int result_set_number(json_t *object, const char *key, double value)
{
	json_t *number;

	if (!isfinite(value))
		return -EINVAL;
	number = fabs(value) <= INTEGER_MAX && value == floor(value)
			 ? json_integer((json_int_t)value)
			 : json_real(value);
	return json_object_set_new(object, key, number) ? -ENOMEM : 0;
}

static json_t *tool_object(char *const *command, bool *bad)
{
	json_t *tool = json_object();
	time_t now = time(NULL);
	struct tm utc;
	char text[32];

	put(tool, "name", json_string("vpup"), bad);
	put(tool, "version", json_string(VPUP_VERSION), bad);
	if (gmtime_r(&now, &utc) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
		put(tool, "time", json_string(text), bad);
	if (command) {
		json_t *words = json_array();

		for (; *command; command++) {
			if (json_array_append_new(words, result_text(*command)))
				*bad = true;
		}
		put(tool, "command", words, bad);
	}
	return tool;
}

static json_t *answer_value(enum host_answer a)
{
	return a == HOST_UNKNOWN ? json_null() : json_boolean(a == HOST_YES);
}

static json_t *host_object(const struct hostinfo *h, bool *bad)
{
	json_t *host = json_object(), *caps, *load;

	if (!h)
		return host;
	put_text(host, "kernel", h->kernel, bad);
	put_text(host, "cpu_model", h->cpu_model, bad);
	put(host, "cpus_online", h->cpus_online ? json_integer(h->cpus_online) : json_null(), bad);
	put(host, "memory_mib", h->memory_mib ? json_u64(h->memory_mib) : json_null(), bad);
	put(host, "tsc_khz", h->given.tsc_khz ? json_u64(h->given.tsc_khz) : json_null(), bad);
	put_text(host, "kvm_module", h->kvm_module, bad);
	put(host, "emulated", answer_value(h->emulated), bad);
	put(host, "is_guest", json_boolean(h->is_guest), bad);
	put_text(host, "hypervisor", h->hypervisor, bad);
	load = h->have_load ? json_pack("[f, f, f]", h->load[0], h->load[1], h->load[2])
			    : json_null();
	put(host, "load", load, bad);
	caps = json_object();
	for (size_t i = 0; i < h->given.caps; i++)
		put(caps, h->given.cap[i].name, json_integer(h->given.cap[i].value), bad);
	put(host, "kvm_caps", caps, bad);
	return host;
}

/* Drops an object that could not be built as a whole. */
static json_t *unless_bad(json_t *object, bool bad)
{
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

json_t *result_document(const char *scenario, const struct hostinfo *h, char *const *command)
{
	json_t *document = json_object();
	bool bad = false;

	put(document, "schema", json_string(RESULT_SCHEMA), &bad);
	put(document, "tool", tool_object(command, &bad), &bad);
	put(document, "host", host_object(h, &bad), &bad);
	put(document, "scenario", json_string(scenario), &bad);
	put(document, "runs", json_array(), &bad);
	put(document, "summary", json_array(), &bad);
	return unless_bad(document, bad);
}

/* Unless it is not known: NULL. */
static void put_word(json_t *params, const char *key, const char *word, bool *bad)
{
	if (word)
		put(params, key, json_string(word), bad);
}

/* A number stands there as it was given: as the text of an option. */
static void put_lpj_param(json_t *params, const struct trace_info *info, bool *bad)
{
	if (info->lpj == TRACE_LPJ_GIVEN)
		put(params, "lpj", json_sprintf("%" PRIu64, info->lpj_given), bad);
	else
		put_word(params, "lpj", guest_lpj_name(info->lpj), bad);
}

/* What the guest says it did, where it says so. */
static void put_guest_params(json_t *params, const struct guest_trace *t, bool *bad)
{
	const struct trace_info *i = &t->info;

	if (t->cost_count)
		put(params, "measure", json_string("exits"), bad);
	if (!t->have_info)
		return;
	put_word(params, "smp", guest_smp_name(i->smp), bad);
	put_lpj_param(params, i, bad);
	put_word(params, "synic", guest_synic_name(i->synic), bad);
	if (i->hz)
		put(params, "hz", json_integer(i->hz), bad);
	put(params, "ucode_us", json_integer(i->ucode_us), bad);
	put(params, "identify_us", json_integer(i->identify_us), bad);
	put(params, "tscsync_us", json_integer(i->tscsync_us), bad);
	put(params, "online_us", json_integer(i->online_us), bad);
}

/* Also says who owns the Hyper-V MSRs: vpup, KVM or nobody. */
static const char *hyperv_word(enum hyperv_mode mode)
{
	switch (mode) {
	case HYPERV_USER:
		return "user";
	case HYPERV_KERNEL:
		return "kernel";
	case HYPERV_OFF:
		break;
	}
	return "off";
}

/* Specifications as they were given, with a space between, or "none". */
static json_t *specs_text(const char *const *spec, unsigned count)
{
	char text[512] = "none";
	size_t used = 0;

	for (unsigned i = 0; i < count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 spec[i]);
	return result_text(text);
}

/* What the guest found. Kinds that are not known here have a number in place of a name. */
static json_t *findings_array(const struct guest_trace *t, bool *bad)
{
	json_t *array = json_array();

	for (size_t i = 0; i < t->finding_count; i++) {
		const struct trace_finding *f = &t->finding[i];
		const struct finding_kind *k = finding_kind(f->what);
		json_t *object = json_object();

		put(object, "what", k ? json_string(k->name) : json_integer(f->what), bad);
		put(object, "vp", json_integer(f->vp), bad);
		if (k && k->unit[0]) {
			put(object, "value", json_integer(f->value), bad);
			put(object, "bound", json_u64(f->bound), bad);
			put(object, "unit", json_string(k->unit), bad);
		}
		put(object, "fatal", json_boolean(k && k->fatal), bad);
		if (json_array_append_new(array, object))
			*bad = true;
	}
	return array;
}

/* What a guest that does not say so itself was given. */
static void put_lpj_option(json_t *params, const struct vm_config *cfg, bool *bad)
{
	if (cfg->lpj == LPJ_NUMBER)
		put(params, "lpj", json_sprintf("%" PRIu64, cfg->lpj_number), bad);
	else
		put(params, "lpj", json_string(cfg->lpj == LPJ_AUTO ? "auto" : "off"), bad);
}

/* What the guest was shown, which is not always what was asked for. */
static const char *invtsc_word(const struct run_record *r, const struct vm_config *cfg)
{
	if (r->invtsc)
		return cfg->invtsc == INVTSC_FORCE ? "force" : "on";
	return "off";
}

static json_t *run_params(const struct run_record *r, const struct vm_config *cfg, bool *bad)
{
	uint32_t nodes = cfg->topology.nodes ? cfg->topology.nodes : 1;
	json_t *params = json_object();

	put(params, "cpus", json_integer(r->vps), bad);
	put(params, "nodes", json_integer(nodes), bad);
	put_guest_params(params, &r->guest, bad);
	if (cfg->kernel && !json_object_get(params, "lpj"))
		put_lpj_option(params, cfg, bad);
	put(params, "hyperv", json_string(hyperv_word(cfg->hyperv)), bad);
	put(params, "invtsc", json_string(invtsc_word(r, cfg)), bad);
	put(params, "noise", specs_text(cfg->noise, cfg->noise_count), bad);
	if (cfg->fault_count)
		put(params, "fault", specs_text(cfg->fault, cfg->fault_count), bad);
	if (cfg->pin)
		put(params, "pin", result_text(cfg->pin), bad);
	put(params, "kernel", result_text(cfg->kernel ? cfg->kernel : "bundled"), bad);
	put(params, "impl", json_string("vpup"), bad);
	return params;
}

static json_t *metrics_object(const struct run_record *r, const struct vp_view *view, bool *bad)
{
	json_t *object = json_object();
	struct metrics m;

	if (metrics_compute(&m, r, view))
		*bad = true;
	for (int i = 0; i < METRIC_COUNT; i++) {
		if (m.have[i] && result_set_number(object, metric_name((enum metric)i), m.value[i]))
			*bad = true;
	}
	return object;
}

/*
 * Adds the time of a stamp since origin_tsc if the thing happened, and not at a time that only a
 * confused guest can have seen.
 */
static void put_ms(json_t *object, const char *key, const struct run_record *r, uint64_t origin_tsc,
		   uint64_t tsc, bool *bad)
{
	if (tsc == 0 || tsc < origin_tsc || (r->end_tsc && tsc > r->end_tsc) || r->tsc_khz == 0)
		return;
	if (result_set_number(object, key, run_ms(r, origin_tsc, tsc)))
		*bad = true;
}

static json_t *vp_host_ms(const struct run_record *r, const struct vp_times *vp, bool *bad)
{
	json_t *object = json_object();

	put_ms(object, "created", r, r->start_tsc, vp->created_tsc, bad);
	put_ms(object, "thread", r, r->start_tsc, vp->thread_tsc, bad);
	put_ms(object, "first_entry", r, r->start_tsc, vp->first_entry_tsc, bad);
	put_ms(object, "wake", r, r->start_tsc, vp->wake_tsc, bad);
	put_ms(object, "first_hv", r, r->start_tsc, vp->first_hv_tsc, bad);
	return object;
}

static json_t *vp_guest_ms(const struct run_record *r, const struct vp_view *view, bool *bad)
{
	/* In a capture there is no host clock: time begins with the guest. */
	uint64_t origin_tsc = r->start_tsc ? r->start_tsc : r->guest.info.entry_tsc;
	json_t *object = json_object();

	for (unsigned i = 1; i < GUEST_MARKS; i++) {
		if (view->mark[i])
			put_ms(object, guest_mark_name(i), r, origin_tsc,
			       run_host_tsc(r, view->mark[i]), bad);
	}
	return object;
}

/* What was to be stolen from the VP, and what was. */
static void put_stolen(json_t *object, const struct run_record *r, const struct steal_log *log,
		       bool *bad)
{
	put(object, "steals", json_u64(log->spans + log->lost_spans), bad);
	if (result_set_number(object, "stolen_planned_ms", (double)log->planned_ns / 1e6))
		*bad = true;
	if (r->tsc_khz &&
	    result_set_number(object, "stolen_ms", (double)log->stolen_cycles / (double)r->tsc_khz))
		*bad = true;
}

static json_t *vp_object(const struct run_record *r, uint32_t vp, const struct vp_view *view,
			 bool *bad)
{
	json_t *object = json_object();

	put(object, "vp", json_integer(vp), bad);
	if (view->told) {
		put(object, "apic_id", json_integer(view->told->apic_id), bad);
		put(object, "node", json_integer(view->told->node), bad);
		if (r->guest.info.packages) {
			put(object, "package", json_integer(view->told->package), bad);
			put(object, "core", json_integer(view->told->core), bad);
		}
		put(object, "online", json_boolean(view->told->online), bad);
		if (view->told->lpj)
			put(object, "lpj", json_u64(view->told->lpj), bad);
	}
	if (r->vp) {
		put(object, "exits", json_u64(r->vp[vp].exits), bad);
		put(object, "host_ms", vp_host_ms(r, &r->vp[vp], bad), bad);
	}
	if (r->stolen)
		put_stolen(object, r, &r->stolen[vp], bad);
	put(object, "guest_ms", vp_guest_ms(r, view, bad), bad);
	return object;
}

/* Steals params. */
static json_t *run_object(json_t *params, const struct run_record *r, bool bad)
{
	struct vp_view *view = guest_view_new(&r->guest, r->vps);
	json_t *run = json_object(), *vps = json_array();

	put(run, "params", params, &bad);
	put(run, "metrics", metrics_object(r, view, &bad), &bad);
	if (guest_is_modelled(&r->guest))
		put(run, "modelled", json_true(), &bad);
	if (!view && r->vps)
		bad = true;
	for (uint32_t i = 0; view && i < r->vps; i++) {
		if (json_array_append_new(vps, vp_object(r, i, &view[i], &bad)))
			bad = true;
	}
	put(run, "vps", vps, &bad);
	if (r->verdict)
		put(run, "verdict", json_string(r->verdict), &bad);
	if (r->verdict || r->guest.finding_count)
		put(run, "findings", findings_array(&r->guest, &bad), &bad);
	if (r->guest.tap)
		put(run, "tap", json_string(r->guest.tap), &bad);
	free(view);
	return unless_bad(run, bad);
}

json_t *result_run_object(const struct run_record *r, const struct vm_config *cfg)
{
	bool bad = false;
	json_t *params = run_params(r, cfg, &bad);

	return run_object(params, r, bad);
}

json_t *result_capture_object(const struct run_record *r, const char *impl)
{
	json_t *params = json_object();
	bool bad = false;

	put(params, "cpus", json_integer(r->vps), &bad);
	if (r->guest.have_info)
		put(params, "nodes", json_integer(r->guest.info.nodes), &bad);
	put_guest_params(params, &r->guest, &bad);
	put(params, "kernel", json_string("bundled"), &bad);
	put(params, "impl", result_text(impl), &bad);
	return run_object(params, r, bad);
}

json_t *result_peer_object(const struct run_record *r, const struct vm_config *cfg,
			   const char *impl, const char *mark)
{
	bool bad = false;
	json_t *params = run_params(r, cfg, &bad);

	put(params, "impl", json_string(impl), &bad);
	put(params, "until", json_string(mark), &bad);
	if (strcmp(impl, "vpup"))
		put(params, "hyperv", json_string("off"), &bad);
	return run_object(params, r, bad);
}

int result_add_run(json_t *document, json_t *run)
{
	return json_array_append_new(json_object_get(document, "runs"), run) ? -ENOMEM : 0;
}

int result_commit(const json_t *document, struct outfile *out, struct err *e)
{
	int failed = json_dumpf(document, out->f, JSON_INDENT(1) | JSON_REAL_PRECISION(12));

	if (failed && !ferror(out->f)) {
		outfile_abort(out);
		return err_set(e, ENOMEM, "no result: out of memory");
	}
	fputc('\n', out->f);
	return outfile_commit(out, e);
}

int result_write_run(const char *path, const struct run_record *r, const struct vm_config *cfg,
		     const struct hostinfo *h, char *const *command, struct err *e)
{
	json_t *document = result_document("run", h, command);
	struct outfile out;
	int ret;

	if (!document || result_add_run(document, result_run_object(r, cfg))) {
		json_decref(document);
		return err_set(e, ENOMEM, "no result: out of memory");
	}
	ret = outfile_open(&out, path, e);
	if (ret == 0)
		ret = result_commit(document, &out, e);
	json_decref(document);
	return ret;
}
