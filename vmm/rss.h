/* SPDX-License-Identifier: MIT */
/* Resident memory of a VMM, without the guest's RAM (proc(5), /proc/pid/smaps). */
#ifndef VPUP_VMM_RSS_H
#define VPUP_VMM_RSS_H

#include <sys/types.h>

#include "vmm/mem.h"

/* KiB of this process resident outside m's regions; 0 when that can't be read. */
uint64_t rss_without_guest_kib(const struct mem *m);

/*
 * KiB of another VMM's process. What it has mapped in pieces of at least ram_bytes, its guest's size, is taken for
 * the guest's RAM. 0 when that can't be read.
 */
uint64_t rss_of_vmm_kib(pid_t pid, uint64_t ram_bytes);

#endif
