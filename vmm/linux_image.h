/* SPDX-License-Identifier: MIT */
/* Is a kernel file Linux, and which version? */
#ifndef VPUP_VMM_LINUX_IMAGE_H
#define VPUP_VMM_LINUX_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINUX_VERSION_MAX 256

/*
 * Copies the version string of a bzImage or a vmlinux, "6.1.0-18-amd64 (debian-kernel@...) #1 ...".
 * Returns false when the file is not Linux.
 */
bool linux_image_version(char out[LINUX_VERSION_MAX], const uint8_t *file, size_t size_bytes);

#endif
