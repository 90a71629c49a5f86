/* SPDX-License-Identifier: MIT */
/* Result of a conformance run as JSON. */
#include "bench/conformance_result.h"

#include "bench/tap.h"
#include "vmm/result.h"

static json_t *test_object(const struct tap_line *line)
{
	json_t *test = json_object();

	if (json_object_set_new(test, "name", json_stringn(line->name, line->name_size)) ||
	    json_object_set_new(test, "ok", json_boolean(line->ok)) ||
	    (line->reason &&
	     json_object_set_new(test, "skipped", json_stringn(line->reason, line->reason_size)))) {
		json_decref(test);
		return NULL;
	}
	return test;
}

static json_t *tests_array(const char *tap)
{
	json_t *tests = json_array();
	struct tap_line line;

	while (tests && tap && tap_next(&tap, &line)) {
		if (json_array_append_new(tests, test_object(&line))) {
			json_decref(tests);
			return NULL;
		}
	}
	return tests;
}

json_t *conformance_result(const char *tap, const json_t *run_document, const char *hyperv,
			   char *const *command)
{
	/* Its "tool" is the one that it gives every document. */
	json_t *plain = result_document("conformance", NULL, command);
	json_t *host = json_object_get(run_document, "host");
	struct tap_counts n = tap_count(tap);
	json_t *result;

	if (!plain)
		return NULL;
	result = json_pack("{s:s, s:O, s:O?, s:s, s:o, s:i, s:i, s:i, s:b}", "schema",
			   "vpup.conformance/1", "tool", json_object_get(plain, "tool"), "host",
			   host, "hyperv", hyperv, "tests", tests_array(tap), "passed",
			   (int)n.passed, "failed", (int)n.failed, "skipped", (int)n.skipped,
			   "complete", (int)n.planned);
	json_decref(plain);
	return result;
}
