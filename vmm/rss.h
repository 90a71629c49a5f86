/* SPDX-License-Identifier: MIT */
/* Resident memory of this process, without the guest's RAM. */
#ifndef VPUP_VMM_RSS_H
#define VPUP_VMM_RSS_H

#include "vmm/mem.h"

/* KiB resident outside m's regions, from /proc/self/smaps; 0 when that can't be read. */
uint64_t rss_without_guest_kib(const struct mem *m);

#endif
