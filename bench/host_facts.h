/* SPDX-License-Identifier: MIT */
/* Facts about this host that decide which cells of a measurement it can run. */
#ifndef VPUP_BENCH_HOST_FACTS_H
#define VPUP_BENCH_HOST_FACTS_H

#include <stdbool.h>

#define HOST_FACT_TEXT_SIZE 24

bool host_fact_exists(const char *name);

/*
 * host.max_vps (of a VM, as KVM says), host.cpus (online) or host.kvm_hyperv (1: --hyperv kernel can
 * be had, 0: it can't), as a number. Returns text, or NULL for
 * other names and where it can't be found out: without /dev/kvm each run says better what is wrong.
 */
const char *host_fact(const char *name, char text[HOST_FACT_TEXT_SIZE]);

#endif
