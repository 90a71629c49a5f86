/* SPDX-License-Identifier: MIT */
/* Is a kernel file Linux, and which version? */
#include "vmm/linux_image.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "vmm/bzimage.h"

#define BANNER "Linux version " /* what a kernel says first; a format string looks alike */

static bool copy_banner(char out[LINUX_VERSION_MAX], const uint8_t *file, size_t size_bytes)
{
	const uint8_t *p = file, *end = file + size_bytes;
	size_t n;

	while ((p = memmem(p, (size_t)(end - p), BANNER, strlen(BANNER)))) {
		p += strlen(BANNER);
		if (p == end || !isdigit(*p))
			continue;
		for (n = 0; n < LINUX_VERSION_MAX - 1 && p + n < end && isprint(p[n]); n++)
			out[n] = (char)p[n];
		out[n] = '\0';
		return true;
	}
	return false;
}

bool linux_image_version(char out[LINUX_VERSION_MAX], const uint8_t *file, size_t size_bytes)
{
	const char *version;

	if (!bzimage_recognise(file, size_bytes))
		return copy_banner(out, file, size_bytes);
	version = bzimage_version(file, size_bytes);
	snprintf(out, LINUX_VERSION_MAX, "%s", version ? version : "of unknown version");
	return true;
}
