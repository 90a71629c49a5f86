/* SPDX-License-Identifier: MIT */
/* Reads result files. */
#include "bench/result_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "vmm/file.h"
#include "vmm/result.h"

json_t *result_file_read(const char *path, struct err *e)
{
	uint8_t *data;
	size_t size_bytes, runs;
	json_t *document;
	struct err why;

	if (file_read(path, RESULT_SIZE_MAX, &data, &size_bytes, e))
		return NULL;
	document = result_read((const char *)data, size_bytes, &why);
	free(data);
	if (!document) {
		err_set(e, EINVAL, "'%s': %s", path, why.text);
		return NULL;
	}
	runs = json_array_size(json_object_get(document, "runs"));
	if (runs && runs <= RESULT_FILE_RUNS_MAX)
		return document;
	if (runs)
		err_set(e, E2BIG, "'%s' has %zu runs; at most %d fit", path, runs,
			RESULT_FILE_RUNS_MAX);
	else
		err_set(e, EINVAL, "'%s' has no runs; write one with vpup bench --json", path);
	json_decref(document);
	return NULL;
}
