/* SPDX-License-Identifier: MIT */
/* Judges one result document against another, and tells. */
#include "bench/judge.h"

#include <errno.h>
#include <string.h>

#include "bench/compare_print.h"
#include "bench/host_diff.h"
#include "vmm/cli.h"
#include "vmm/result.h"

static int warn_incomplete(json_t *warnings, const char *name, const json_t *document)
{
	if (!json_is_true(json_object_get(document, "incomplete")))
		return 0;
	return json_array_append_new(warnings, json_sprintf("%s ended early", name)) ? -ENOMEM : 0;
}

/* A new array of strings, or NULL without memory. They are on stderr already. */
static json_t *warn(const struct judge *j, const json_t *base, const json_t *new)
{
	json_t *warnings = json_array();
	const json_t *line;
	size_t i;

	if (!warnings || host_diff(base, new, warnings) ||
	    warn_incomplete(warnings, "BASE", base) || warn_incomplete(warnings, "NEW", new)) {
		json_decref(warnings);
		return NULL;
	}
	json_array_foreach(warnings, i, line)
		cli_fail(j->cmd, "warning: %s", json_string_value(line));
	return warnings;
}

static int tell(const struct judge *j, const struct comparison *c, const json_t *warnings,
		struct err *e)
{
	json_t *document;
	int ret;

	if (j->out && compare_print(j->out, c, j->only_changes))
		return err_set(e, ENOMEM, "out of memory");
	if (j->out && fflush(j->out))
		return err_set(e, errno, "can't write the table: %s", strerror(errno));
	if (!j->json)
		return 0;
	document = compare_json(c, j->names, warnings);
	if (!document)
		return err_set(e, ENOMEM, "out of memory");
	ret = result_commit(document, j->json, e);
	json_decref(document);
	return ret;
}

int judge_documents(const struct judge *j, const json_t *base, const json_t *new)
{
	struct comparison c;
	json_t *warnings = NULL;
	struct err e;
	int ret = compare_runs(&c, base, new, j->ignored, &j->options, &e), status;

	if (ret == 0) {
		warnings = warn(j, base, new);
		ret = warnings ? tell(j, &c, warnings, &e) : err_set(&e, ENOMEM, "out of memory");
	}
	if (ret)
		cli_fail(j->cmd, "%s", e.text);
	if (ret == -EINVAL || ret == -E2BIG)
		status = VPUP_EXIT_USAGE;
	else if (ret)
		status = VPUP_EXIT_HOST;
	else
		status = c.count[VERDICT_WORSE] ? VPUP_EXIT_FAIL : VPUP_EXIT_OK;
	json_decref(warnings);
	compare_fini(&c);
	return status;
}

int judge_parse_part(const char *cmd, const char *option, const char *arg, double *out)
{
	size_t length = strlen(arg);
	bool is_percent = length && arg[length - 1] == '%';
	char digits[32] = "";
	double value;

	length -= is_percent;
	if (length < sizeof(digits))
		memcpy(digits, arg, length);
	if (cli_parse_seconds(digits, &value) == 0) { /* any decimal number that is not negative */
		if (is_percent)
			value /= 100;
		if (value > 0 && value < 1) {
			*out = value;
			return 0;
		}
	}
	return cli_fail(cmd,
			"%s: '%s' is not between 0 and 1, or 0%% and 100%%, such as 0.05 or 5%%",
			option, arg);
}
