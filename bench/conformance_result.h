/* SPDX-License-Identifier: MIT */
/* Result of a conformance run as JSON, schema "vpup.conformance/1". docs/conformance.md has it. */
#ifndef VPUP_BENCH_CONFORMANCE_RESULT_H
#define VPUP_BENCH_CONFORMANCE_RESULT_H

#include <jansson.h>

/*
 * From the guest's lines (NULL: none) and the result document of the run that gave them. Returns a
 * new reference, or NULL without memory.
 */
json_t *conformance_result(const char *tap, const json_t *run_document, const char *hyperv,
			   char *const *command);

#endif
