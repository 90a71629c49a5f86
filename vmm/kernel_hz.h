/* SPDX-License-Identifier: MIT */
/* Timer interrupts a second that a Linux image was built for (CONFIG_HZ), and how that is known. */
#ifndef VPUP_VMM_KERNEL_HZ_H
#define VPUP_VMM_KERNEL_HZ_H

#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"

struct kernel_hz {
	unsigned hz;
	char source[160]; /* "/boot/config-6.1.0-18-amd64", "its embedded configuration", ... */
};

/*
 * Looks, in this order, into the configuration file beside the image at path (config-RELEASE, or
 * .config of a build tree), the configuration embedded in it (CONFIG_IKCONFIG), and a table of what
 * distributions build. Returns 0, or -ENOENT with e saying what to do.
 */
int kernel_hz_find(struct kernel_hz *out, const char *path, const uint8_t *file, size_t size_bytes,
		   struct err *e);

/* CONFIG_HZ in the text of a configuration; 0: it is not there. */
unsigned kernel_hz_of_config(const char *text, size_t size_bytes);

/* What distributions build, by the version string; 0: not known. */
unsigned kernel_hz_of_version(const char *version);

#endif
