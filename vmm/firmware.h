/* SPDX-License-Identifier: MIT */
/* Firmware: a PC BIOS at the top of the first 4 GiB, with a copy below 1 MiB that it may write to. */
#ifndef VPUP_VMM_FIRMWARE_H
#define VPUP_VMM_FIRMWARE_H

#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"
#include "vmm/kvm.h"
#include "vmm/mem.h"

struct firmware {
	uint8_t *image; /* page-aligned mapping, owned; NULL: none */
	size_t size_bytes;
};

/*
 * Where it is: that of a known name, else spec itself. Returns 0, or -ENOENT with e saying what to
 * install.
 */
int firmware_path(const char *spec, const char **path, struct err *e);

/*
 * Reads the firmware that --firmware names: seabios or qboot where distributions have it, or a file.
 * Returns 0, or -errno with e naming the file and what is wrong. f, of zeroes, is valid for
 * firmware_close() in any case.
 */
int firmware_open(struct firmware *f, const char *spec, struct err *e);
void firmware_close(struct firmware *f);

/*
 * Puts it where the boot VP starts after a reset: read-only below 4 GiB, in a memory slot of its own, and
 * copied into m. Returns 0 or -errno with e set.
 */
int firmware_map(const struct firmware *f, struct kvm *k, uint32_t slot, const struct mem *m,
		 struct err *e);

#endif
