/* SPDX-License-Identifier: MIT */
/* The host's CPUs: which of them this process may use, and threads that are bound to some. */
#ifndef VPUP_VMM_HOST_CPUS_H
#define VPUP_VMM_HOST_CPUS_H

#include <pthread.h>

#include "vmm/id_list.h"

#define HOST_CPU_MAX 65535 /* highest number that is taken for one */

/* Adds all that this process may run on. Returns 0 or -errno with e set. */
int host_cpus_allowed(struct id_list *l, struct err *e);

/*
 * May this process run on all of these CPUs? Else -EINVAL, with e naming `option`, the CPU and what
 * would be possible.
 */
int host_cpus_check(const struct id_list *cpus, const char *option, struct err *e);

/* Has threads that are made with attr run on these CPUs alone. Returns 0 or an errno value. */
int host_cpus_bind(pthread_attr_t *attr, const uint32_t *cpu, size_t count);

#endif
