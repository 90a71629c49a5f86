/* SPDX-License-Identifier: MIT */
/*
 * Result files, schema "vpup.result/1": JSON documents, built and read here and nowhere else.
 * docs/results.md describes them for their readers.
 */
#ifndef VPUP_VMM_RESULT_H
#define VPUP_VMM_RESULT_H

#include <jansson.h>
#include <stddef.h>

#include "vmm/config.h"
#include "vmm/err.h"
#include "vmm/hostinfo.h"
#include "vmm/outfile.h"
#include "vmm/run_record.h"

#define RESULT_SCHEMA "vpup.result/1"

/*
 * A document without runs. h may be NULL (a host that is not known); command is the NULL-terminated
 * command line, or NULL. Returns a new reference, or NULL without memory.
 */
json_t *result_document(const char *scenario, const struct hostinfo *h, char *const *command);

/*
 * One run of vpup as an element of "runs": params from cfg and from what the guest says it did,
 * metrics, VPs. What was not measured is left out. Returns a new reference, or NULL without memory.
 */
json_t *result_run_object(const struct run_record *r, const struct vm_config *cfg);

/*
 * Likewise for a trace that another VMM's debug console caught. impl names that VMM. The record has
 * the guest's own TSC frequency, and no host times.
 */
json_t *result_capture_object(const struct run_record *r, const char *impl);

/*
 * A VMM measured from outside: impl names it, mark what it was waited for. The record has the number of VPs, mark_ms and
 * rss_kib. Likewise.
 */
json_t *result_peer_object(const struct run_record *r, const struct vm_config *cfg,
			   const char *impl, const char *mark);

/* Appends run to the document's "runs" and takes the reference, also on failure. 0 or -ENOMEM. */
int result_add_run(json_t *document, json_t *run);

/* Writes the document. Returns 0, or -errno with e set; commits or aborts `out` in either case. */
int result_commit(const json_t *document, struct outfile *out, struct err *e);

/* All of the above for `vpup run --json PATH`. Returns 0, or -errno with e set. */
int result_write_run(const char *path, const struct run_record *r, const struct vm_config *cfg,
		     const struct hostinfo *h, char *const *command, struct err *e);

/*
 * Reads a document and checks all of its types, so that nobody has to look twice. Members that this
 * version does not know are kept. Returns a new reference, or NULL with e saying what is wrong and
 * where.
 */
#define RESULT_SIZE_MAX (64u << 20)
#define RESULT_MEMORY_MAX \
	(1024u << 20) /* a file made for the purpose would take 40 times its size */
json_t *result_read(const char *text, size_t size_bytes, struct err *e);

/* A run's metric. Returns false if the run does not have it. */
bool result_metric(const json_t *run, const char *name, double *value);

/*
 * A string that may be anything, such as a file name: JSON is UTF-8, and where it is not its ASCII
 * part has to do. A new reference, or NULL without memory.
 */
json_t *result_text(const char *text);

/* Adds a number; what is not finite is refused with -EINVAL. Integers are written as such. */
int result_set_number(json_t *object, const char *key, double value);

#endif
