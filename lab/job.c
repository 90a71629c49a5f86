/* SPDX-License-Identifier: MIT */
/* L1's job: written by the host, read by L1's init. */
#include "lab/job.h"

#include <errno.h>
#include <stdlib.h>

#include "lab/l1_paths.h"

static json_t *strings(char *const *list)
{
	json_t *array = json_array();

	for (; array && *list; list++)
		if (json_array_append_new(array, json_string(*list))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *paths_of(const struct words *w)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < w->count; i++)
		if (words_allow(w, w->word[i].path) &&
		    json_array_append_new(array, json_string(w->word[i].path))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

int job_text(char *const *argv, const char *cwd, const struct words *w, char **text, struct err *e)
{
	json_t *job = json_pack("{s:o?, s:s, s:o?}", "argv", strings(argv), "cwd", cwd, "paths",
				paths_of(w));

	*text = job ? json_dumps(job, JSON_INDENT(1)) : NULL;
	json_decref(job);
	return *text ? 0 : err_set(e, ENOMEM, "COMMAND's words are no UTF-8, or out of memory");
}

int job_read(struct job *j, struct err *e)
{
	json_error_t error;
	json_t *argv;

	*j = (struct job){.json = json_load_file(L1_JOB, 0, &error)};
	if (!j->json)
		return err_set(e, EINVAL, "%s: %s", L1_JOB, error.text);
	argv = json_object_get(j->json, "argv");
	j->cwd = json_string_value(json_object_get(j->json, "cwd"));
	j->argv = calloc(json_array_size(argv) + 2, sizeof(*j->argv));
	if (!j->argv || !j->cwd || json_array_size(argv) == 0) {
		job_fini(j);
		return err_set(e, EINVAL, "%s is not a job", L1_JOB);
	}
	j->argv[0] = "vpup";
	for (size_t i = 0; i < json_array_size(argv); i++)
		j->argv[i + 1] = (char *)json_string_value(json_array_get(argv, i));
	return 0;
}

void job_fini(struct job *j)
{
	free(j->argv);
	json_decref(j->json);
	*j = (struct job){0};
}

size_t job_paths(const struct job *j)
{
	return json_array_size(json_object_get(j->json, "paths"));
}

const char *job_path(const struct job *j, size_t i)
{
	return json_string_value(json_array_get(json_object_get(j->json, "paths"), i));
}
