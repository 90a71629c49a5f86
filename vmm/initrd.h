/* SPDX-License-Identifier: MIT */
/* The initrd that a kernel gets: the user's, and the archive of --exec. */
#ifndef VPUP_VMM_INITRD_H
#define VPUP_VMM_INITRD_H

#include <stddef.h>
#include <stdint.h>

#include "vmm/config.h"
#include "vmm/err.h"

/*
 * Reads and makes it; release is that of the kernel ("" where it is not known). *data is malloc'ed; NULL: none was
 * asked for. Returns 0, or -errno with e set: a file that can't be read or has more than max_bytes,
 * a command that can't be packed.
 */
int initrd_read(const struct vm_config *cfg, const char *release, uint64_t max_bytes,
		uint8_t **data, size_t *size_bytes, struct err *e);

#endif
