/* SPDX-License-Identifier: MIT */
/* Writes a run as a trace that Perfetto and chrome://tracing open. */
#ifndef VPUP_VMM_TIMELINE_H
#define VPUP_VMM_TIMELINE_H

#include "vmm/err.h"
#include "vmm/run_record.h"

/*
 * Writes r to path ("-": stdout) in the Trace Event Format: one process for the host's set-up and
 * the guest as a whole, one for the VPs with a track for each. ts is microseconds since
 * r->start_tsc; guest marks are put on the host's clock by run_host_tsc(). Marks outside the run,
 * or out of their order, are left out and counted in "otherData".
 * Returns 0; -EINVAL if r has no TSC frequency; -ENOMEM; -errno of the file. e is set.
 */
int timeline_write(const char *path, const struct run_record *r, struct err *e);

#endif
