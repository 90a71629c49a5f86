/* SPDX-License-Identifier: MIT */
/* Unit tests of result documents: what is written, what is left out, and what is refused. */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "tests/unit/run_fixture.h"
#include "vmm/result.h"

static const struct vm_config config = {.topology = {.vps = 3, .nodes = 2}};

static const struct host_cap caps[] = {{"KVM_CAP_IRQCHIP", 1}, {"KVM_CAP_HYPERV", 0}};

static const struct hostinfo host = {
	.given = {.cap = caps, .caps = 2, .tsc_khz = 1000},
	.kernel = "6.1.0",
	.cpu_model = "A CPU",
	.cpus_online = 2,
	.emulated = HOST_YES,
	.have_load = true,
	.load = {0.5, 1, 2.25},
};

/* The document of one run, as text and read again. */
static json_t *round_trip(const struct run_record *r, const struct vm_config *cfg)
{
	char *const command[] = {(char *)"run", (char *)"-c", (char *)"3", NULL};
	json_t *document = result_document("run", &host, command), *again;
	struct err e = {""};
	char *text;

	ck_assert_ptr_nonnull(document);
	ck_assert_int_eq(result_add_run(document, result_run_object(r, cfg)), 0);
	text = json_dumps(document, JSON_REAL_PRECISION(12));
	ck_assert_ptr_nonnull(text);
	json_decref(document);
	again = result_read(text, strlen(text), &e);
	ck_assert_msg(again != NULL, "%s", e.text);
	free(text);
	return again;
}

static json_t *first_run(const json_t *document)
{
	return json_array_get(json_object_get(document, "runs"), 0);
}

static const char *param(const json_t *run, const char *key)
{
	const char *text = json_string_value(json_object_get(json_object_get(run, "params"), key));

	return text ? text : "(none)";
}

static void check_metric(const json_t *run, const char *name, double value)
{
	double read;

	ck_assert_msg(result_metric(run, name, &read), "%s is missing", name);
	ck_assert_double_eq_tol(read, value, 1e-9);
}

START_TEST(test_round_trip)
{
	struct run_record r;
	json_t *document, *run, *params;

	run_fixture_init(&r, 3);
	document = round_trip(&r, &config);
	ck_assert_str_eq(json_string_value(json_object_get(document, "schema")), RESULT_SCHEMA);
	run = first_run(document);
	params = json_object_get(run, "params");
	ck_assert_int_eq(json_integer_value(json_object_get(params, "cpus")), 3);
	ck_assert_int_eq(json_integer_value(json_object_get(params, "nodes")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(params, "hz")), 250);
	ck_assert_str_eq(param(run, "smp"), "serial");
	ck_assert_str_eq(param(run, "lpj"), "calibrate");
	ck_assert_str_eq(param(run, "hyperv"), "user");
	ck_assert_str_eq(param(run, "invtsc"), "on");
	ck_assert_str_eq(param(run, "kernel"), "bundled");
	ck_assert_str_eq(param(run, "impl"), "vpup");
	check_metric(run, "startup_ms", 120);
	check_metric(run, "smp_bringup_ms", 20);
	check_metric(run, "stage.calibrate_ms", 10);
	check_metric(run, "lpj_error_ppm", 0);
	check_metric(run, "exits", 33);
	json_decref(document);
	run_fixture_fini(&r);
}
END_TEST

static double vp_number(const json_t *run, size_t vp, const char *key)
{
	return json_number_value(
		json_object_get(json_array_get(json_object_get(run, "vps"), vp), key));
}

START_TEST(test_noise)
{
	const struct steal_log stolen[2] = {
		{.planned_ns = 2500000, .stolen_cycles = 3000, .spans = 2, .lost_spans = 1},
		{.planned_ns = 0},
	};
	struct vm_config cfg = config;
	struct run_record r;
	json_t *document, *run;

	run_fixture_init(&r, 2);
	document = round_trip(&r, &cfg);
	run = first_run(document);
	ck_assert_str_eq(param(run, "noise"), "none");
	ck_assert_str_eq(param(run, "pin"), "(none)");
	ck_assert_ptr_null(json_object_get(json_object_get(run, "metrics"), "stolen_ms"));
	json_decref(document);
	cfg.noise[0] = "steal:seed=7";
	cfg.noise[1] = "burn";
	cfg.noise_count = 2;
	cfg.pin = "0-1";
	r.stolen = stolen;
	r.neighbour_ns = 1500000;
	document = round_trip(&r, &cfg);
	run = first_run(document);
	ck_assert_str_eq(param(run, "noise"), "steal:seed=7 burn");
	ck_assert_str_eq(param(run, "pin"), "0-1");
	check_metric(run, "stolen_ms", 3);
	check_metric(run, "neighbour_cpu_ms", 1.5);
	ck_assert_double_eq_tol(vp_number(run, 0, "steals"), 3, 1e-9);
	ck_assert_double_eq_tol(vp_number(run, 0, "stolen_planned_ms"), 2.5, 1e-9);
	ck_assert_double_eq_tol(vp_number(run, 0, "stolen_ms"), 3, 1e-9);
	ck_assert_double_eq_tol(vp_number(run, 1, "stolen_ms"), 0, 1e-9);
	json_decref(document);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_verdict)
{
	struct trace_finding findings[] = {{FINDING_TSC_WARP, 1, -100234, 3120},
					   {FINDING_VP_MISSING, 0, 7, 0},
					   {4711, 1, 5, 5}};
	struct vm_config cfg = config;
	struct run_record r;
	json_t *document, *run, *array, *first;

	run_fixture_init(&r, 2);
	document = round_trip(&r, &cfg);
	ck_assert_ptr_null(json_object_get(first_run(document), "verdict"));
	ck_assert_ptr_null(json_object_get(first_run(document), "findings"));
	json_decref(document);
	cfg.fault[0] = "sipi-drop";
	cfg.fault_count = 1;
	r.verdict = "failed";
	r.guest.finding = findings;
	r.guest.finding_count = 3;
	document = round_trip(&r, &cfg);
	run = first_run(document);
	ck_assert_str_eq(param(run, "fault"), "sipi-drop");
	ck_assert_str_eq(json_string_value(json_object_get(run, "verdict")), "failed");
	array = json_object_get(run, "findings");
	ck_assert_uint_eq(json_array_size(array), 3);
	first = json_array_get(array, 0);
	ck_assert_str_eq(json_string_value(json_object_get(first, "what")), "tsc-warp");
	ck_assert_int_eq(json_integer_value(json_object_get(first, "value")), -100234);
	ck_assert_int_eq(json_integer_value(json_object_get(first, "bound")), 3120);
	ck_assert(json_is_true(json_object_get(first, "fatal")));
	ck_assert_ptr_null(json_object_get(json_array_get(array, 1), "value"));
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(array, 2), "what")),
			 4711);
	json_decref(document);
	r.guest.finding = NULL;
	run_fixture_fini(&r);
}
END_TEST

/* A cost that is modelled marks the whole run; a number for lpj stands as it was given. */
START_TEST(test_guest_modes)
{
	struct run_record r;
	json_t *document, *run, *vp;

	run_fixture_init(&r, 2);
	document = round_trip(&r, &config);
	run = first_run(document);
	ck_assert_ptr_null(json_object_get(run, "modelled"));
	ck_assert_str_eq(param(run, "synic"), "off");
	ck_assert_ptr_null(
		json_object_get(json_array_get(json_object_get(run, "vps"), 1), "package"));
	json_decref(document);
	r.guest.info.smp = TRACE_SMP_INIT;
	r.guest.info.lpj = TRACE_LPJ_GIVEN;
	r.guest.info.lpj_given = UINT64_MAX;
	r.guest.info.synic = TRACE_SYNIC_PARALLEL;
	r.guest.info.ucode_us = 7500;
	r.guest.info.packages = 1;
	r.guest.vp[1].core = 1;
	document = round_trip(&r, &config);
	run = first_run(document);
	ck_assert(json_is_true(json_object_get(run, "modelled")));
	ck_assert_str_eq(param(run, "smp"), "init");
	ck_assert_str_eq(param(run, "lpj"), "18446744073709551615");
	ck_assert_str_eq(param(run, "synic"), "parallel");
	ck_assert_int_eq(json_integer_value(
				 json_object_get(json_object_get(run, "params"), "ucode_us")),
			 7500);
	vp = json_array_get(json_object_get(run, "vps"), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(vp, "core")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(vp, "package")), 0);
	json_decref(document);
	run_fixture_fini(&r);
}
END_TEST

static const struct {
	enum hyperv_mode mode;
	const char *word;
} owners[] = {{HYPERV_USER, "user"}, {HYPERV_KERNEL, "kernel"}, {HYPERV_OFF, "off"}};

START_TEST(test_owner_of_hyperv_msrs)
{
	struct vm_config c = config;
	struct run_record r;
	json_t *document;

	c.hyperv = owners[_i].mode;
	run_fixture_init(&r, 1);
	document = round_trip(&r, &c);
	ck_assert_str_eq(param(first_run(document), "hyperv"), owners[_i].word);
	json_decref(document);
	run_fixture_fini(&r);
}
END_TEST

static double number(const json_t *object, const char *outer, const char *key)
{
	const json_t *value = json_object_get(json_object_get(object, outer), key);

	ck_assert_msg(json_is_number(value), "%s.%s is missing", outer, key);
	return json_number_value(value);
}

START_TEST(test_vps)
{
	struct run_record r;
	json_t *document, *vps, *vp;

	run_fixture_init(&r, 3);
	document = round_trip(&r, &config);
	vps = json_object_get(first_run(document), "vps");
	ck_assert_uint_eq(json_array_size(vps), 3);
	vp = json_array_get(vps, 2);
	ck_assert_int_eq(json_integer_value(json_object_get(vp, "vp")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(vp, "apic_id")), 4);
	ck_assert_int_eq(json_integer_value(json_object_get(vp, "node")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(vp, "lpj")), 4000);
	ck_assert(json_is_true(json_object_get(vp, "online")));
	ck_assert_double_eq(number(vp, "host_ms", "created"), 3);
	ck_assert_double_eq(number(vp, "host_ms", "first_entry"), 7);
	ck_assert_double_eq(number(vp, "host_ms", "wake"), 110.5);
	ck_assert_double_eq(number(vp, "guest_ms", "kick"), 110);
	ck_assert_double_eq(number(vp, "guest_ms", "calibrated"), 118);
	ck_assert_double_eq(number(vp, "guest_ms", "online"), 119);
	vp = json_object_get(json_array_get(vps, 0), "host_ms");
	ck_assert_ptr_null(json_object_get(vp, "wake")); /* the boot VP is not woken */
	json_decref(document);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_host)
{
	struct run_record r;
	json_t *document, *h;

	run_fixture_init(&r, 2);
	document = round_trip(&r, &config);
	h = json_object_get(document, "host");
	ck_assert_str_eq(json_string_value(json_object_get(h, "kernel")), "6.1.0");
	ck_assert(json_is_null(json_object_get(h, "kvm_module"))); /* unknown, not "" */
	ck_assert(json_is_null(json_object_get(h, "memory_mib")));
	ck_assert(json_is_true(json_object_get(h, "emulated")));
	ck_assert_double_eq(number(h, "kvm_caps", "KVM_CAP_HYPERV"), 0);
	ck_assert_double_eq(number(h, "kvm_caps", "KVM_CAP_IRQCHIP"), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(h, "load")), 3);
	json_decref(document);
	run_fixture_fini(&r);
}
END_TEST

/* A guest without a trace, such as Linux: what was not measured is not there, not even as 0. */
START_TEST(test_missing_metrics)
{
	struct run_record r;
	json_t *document, *run;
	double value;

	run_fixture_init(&r, 3);
	guest_trace_fini(&r.guest);
	document = round_trip(&r, &config);
	run = first_run(document);
	ck_assert(!result_metric(run, "smp_bringup_ms", &value));
	ck_assert(!result_metric(run, "startup_ms", &value));
	ck_assert(!result_metric(run, "lpj_min", &value));
	ck_assert_str_eq(param(run, "lpj"), "(none)");
	ck_assert_uint_eq(json_array_size(json_object_get(run, "vps")), 3);
	check_metric(run, "create_ms", 4);
	json_decref(document);
	run_fixture_fini(&r);
}
END_TEST

/* Whatever the guest says and the command line holds, the document is one that can be read. */
START_TEST(test_hostile_values)
{
	struct vm_config cfg = config;
	struct run_record r;
	json_t *document;

	cfg.kernel = "/tmp/\xff\xfe\"\n";
	run_fixture_init(&r, 3);
	r.guest.info.smp = UINT32_MAX;
	r.guest.info.lpj = 0;
	r.guest.vp[1].lpj = UINT64_MAX;
	r.guest.vp[1].apic_id = UINT32_MAX;
	r.guest.info.hz = 1;
	run_fixture_event(&r, 1, TRACE_VP_ONLINE)->tsc = UINT64_MAX;
	run_fixture_event(&r, 1, TRACE_VP_KICK)->tsc = 1;
	document = round_trip(&r, &cfg);
	ck_assert_str_eq(param(first_run(document), "kernel"), "/tmp/??\"\n");
	ck_assert_str_eq(param(first_run(document), "smp"), "(none)");
	json_decref(document);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_capture)
{
	struct run_record r;
	json_t *run, *vp;
	double value;

	run_fixture_init(&r, 2);
	free(r.vp);
	r.vp = NULL;
	r.start_tsc = 0;
	r.end_tsc = 0;
	r.vps_created_tsc = 0;
	r.tsc_offset = 0;
	r.rss_kib = 0;
	run = result_capture_object(&r, "qemu");
	ck_assert_ptr_nonnull(run);
	ck_assert_str_eq(param(run, "impl"), "qemu");
	ck_assert_str_eq(param(run, "hyperv"), "(none)");
	check_metric(run, "smp_bringup_ms", 10);
	ck_assert(!result_metric(run, "startup_ms", &value));
	ck_assert(!result_metric(run, "exits", &value));
	vp = json_array_get(json_object_get(run, "vps"), 1);
	ck_assert_double_eq(number(vp, "guest_ms", "kick"), 90); /* since the guest's start */
	ck_assert_ptr_null(json_object_get(vp, "host_ms"));
	json_decref(run);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_numbers)
{
	json_t *object = json_object();

	ck_assert_int_eq(result_set_number(object, "a", NAN), -EINVAL);
	ck_assert_int_eq(result_set_number(object, "a", INFINITY), -EINVAL);
	ck_assert_uint_eq(json_object_size(object), 0);
	ck_assert_int_eq(result_set_number(object, "a", 12), 0);
	ck_assert(json_is_integer(json_object_get(object, "a")));
	ck_assert_int_eq(result_set_number(object, "b", -0.25), 0);
	ck_assert(json_is_real(json_object_get(object, "b")));
	ck_assert_int_eq(result_set_number(object, "c", 1e300), 0);
	ck_assert(json_is_real(json_object_get(object, "c")));
	json_decref(object);
}
END_TEST

#define HEAD "{\"schema\":\"vpup.result/1\",\"tool\":{},\"host\":{},\"scenario\":\"x\","
#define RUN  "{\"params\":{\"cpus\":1},\"metrics\":{\"a\":1.5},\"vps\":[{\"vp\":0}]}"
#define ROW                                                                              \
	"{\"params\":{},\"metric\":\"a\",\"unit\":\"ms\",\"n\":1,\"median\":1,\"p5\":1," \
	"\"p95\":1,\"mad\":0,\"ci95\":[1,1]}"

static const struct {
	const char *text;
	const char *says; /* part of the message; NULL: fine */
} documents[] = {
	{HEAD "\"runs\":[" RUN "],\"summary\":[" ROW "]}", NULL},
	{HEAD "\"runs\":[],\"summary\":[],\"later\":1}", NULL},
	{"", "it is empty"},
	{"null", "line 1"},
	{"[]", "no schema"},
	{"{}", "no schema"},
	{"{\"schema\":1}", "no schema"},
	{"{\"schema\":\"vpup.result/2\"}", "schema 'vpup.result/2'; this vpup reads"},
	{HEAD "\"runs\":[" RUN "],\"summary\":[", "line 1"},
	{HEAD "\"runs\":[],\"summary\":[]} x", "line 1"},
	{HEAD "\"runs\":[],\"runs\":[],\"summary\":[]}", "duplicate"},
	{"{\"schema\":\"vpup.result/1\",\"host\":{},\"scenario\":\"x\",\"runs\":[],\"summary\":[]}",
	 "tool is not an object"},
	{"{\"schema\":\"vpup.result/1\",\"tool\":{},\"host\":[],\"scenario\":\"x\",\"runs\":[],"
	 "\"summary\":[]}",
	 "host is not an object"},
	{"{\"schema\":\"vpup.result/1\",\"tool\":{},\"host\":{},\"scenario\":null,\"runs\":[],"
	 "\"summary\":[]}",
	 "scenario is not a string"},
	{HEAD "\"summary\":[]}", "runs is not an array"},
	{HEAD "\"runs\":[]}", "summary is not an array"},
	{HEAD "\"runs\":[" RUN ",7],\"summary\":[]}", "runs[1] is not an object"},
	{HEAD "\"runs\":[{\"metrics\":{},\"vps\":[]}],\"summary\":[]}",
	 "runs[0].params is not an object"},
	{HEAD "\"runs\":[{\"params\":{\"cpus\":[1]},\"metrics\":{},\"vps\":[]}],\"summary\":[]}",
	 "runs[0].params.cpus is not a plain value"},
	{HEAD "\"runs\":[{\"params\":{},\"vps\":[]}],\"summary\":[]}",
	 "runs[0].metrics is not an object"},
	{HEAD "\"runs\":[{\"params\":{},\"metrics\":{\"a\":\"1\"},\"vps\":[]}],\"summary\":[]}",
	 "runs[0].metrics.a is not a number"},
	{HEAD "\"runs\":[{\"params\":{},\"metrics\":{\"a\":null},\"vps\":[]}],\"summary\":[]}",
	 "runs[0].metrics.a is not a number"},
	{HEAD "\"runs\":[{\"params\":{},\"metrics\":{\"a\":NaN},\"vps\":[]}],\"summary\":[]}",
	 "line 1"},
	{HEAD "\"runs\":[{\"params\":{},\"metrics\":{\"a\":1e999},\"vps\":[]}],\"summary\":[]}",
	 "line 1"},
	{HEAD "\"runs\":[{\"params\":{},\"metrics\":{}}],\"summary\":[]}",
	 "runs[0].vps is not an array"},
	{HEAD "\"runs\":[{\"params\":{},\"metrics\":{},\"vps\":[{}]}],\"summary\":[]}",
	 "runs[0].vps[0].vp is not a number"},
	{HEAD "\"runs\":[],\"summary\":[3]}", "summary[0] is not an object"},
	{HEAD "\"runs\":[],\"summary\":[{\"params\":{},\"ci95\":[1]}]}",
	 "summary[0].ci95 is not a pair"},
	{HEAD "\"runs\":[],\"summary\":[{\"params\":{},\"ci95\":[1,2],\"n\":1}]}",
	 "summary[0].median is not a number"},
};

START_TEST(test_documents)
{
	const char *text = documents[_i].text, *says = documents[_i].says;
	struct err e = {""};
	json_t *document = result_read(text, strlen(text), &e);

	if (says)
		ck_assert_msg(!document && strstr(e.text, says), "'%s' lacks '%s'", e.text, says);
	else
		ck_assert_msg(document != NULL, "%s", e.text);
	json_decref(document);
}
END_TEST

/* A file that was cut off is refused wherever that was. */
START_TEST(test_truncated)
{
	const char *text = documents[0].text;
	struct err e;

	for (size_t size = 0; size < strlen(text); size++)
		ck_assert_ptr_null(result_read(text, size, &e));
}
END_TEST

START_TEST(test_too_large)
{
	struct err e;

	ck_assert_ptr_null(result_read("{}", RESULT_SIZE_MAX + 1u, &e)); /* not even looked at */
	ck_assert_ptr_nonnull(strstr(e.text, "larger than 64 MiB"));
}
END_TEST

START_TEST(test_write_fails)
{
	struct run_record r;
	struct err e;

	run_fixture_init(&r, 2);
	ck_assert_int_eq(result_write_run("/no/such/dir/x", &r, &config, &host, NULL, &e), -ENOENT);
	ck_assert_int_eq(result_write_run("/dev/full", &r, &config, &host, NULL, &e), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(e.text, "/dev/full"));
	run_fixture_fini(&r);
}
END_TEST

Suite *result_suite(void)
{
	Suite *s = suite_create("result");
	TCase *c = tcase_create("result");

	tcase_add_loop_test(c, test_owner_of_hyperv_msrs, 0, sizeof(owners) / sizeof(owners[0]));
	tcase_add_test(c, test_round_trip);
	tcase_add_test(c, test_guest_modes);
	tcase_add_test(c, test_noise);
	tcase_add_test(c, test_verdict);
	tcase_add_test(c, test_vps);
	tcase_add_test(c, test_host);
	tcase_add_test(c, test_missing_metrics);
	tcase_add_test(c, test_hostile_values);
	tcase_add_test(c, test_capture);
	tcase_add_test(c, test_numbers);
	tcase_add_loop_test(c, test_documents, 0, (int)(sizeof(documents) / sizeof(documents[0])));
	tcase_add_test(c, test_truncated);
	tcase_add_test(c, test_too_large);
	tcase_add_test(c, test_write_fails);
	suite_add_tcase(s, c);
	return s;
}
