/* SPDX-License-Identifier: MIT */
/* CONFIG_HZ of a Linux image, from its configuration or by its version. */
#include "vmm/kernel_hz.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/bzimage.h"
#include "vmm/file.h"
#include "vmm/linux_image.h"
#include "vmm/unpack.h"

#define CONFIG_MAX_BYTES (4u << 20)
#define KERNEL_MAX_BYTES (512u << 20) /* of an unpacked one */
#define HZ_MAX           10000
#define CONFIG_START     "IKCFG_ST" /* in front of the gzip'd configuration */
#define HZ_OPTION        "CONFIG_HZ="

unsigned kernel_hz_of_config(const char *text, size_t size_bytes)
{
	const char *p = text, *end = text + size_bytes;
	char number[8] = "";
	unsigned long hz;

	while (p < end && (p = memmem(p, (size_t)(end - p), HZ_OPTION, strlen(HZ_OPTION)))) {
		p += strlen(HZ_OPTION);
		if (p - text > (ptrdiff_t)strlen(HZ_OPTION) &&
		    p[-1 - (ptrdiff_t)strlen(HZ_OPTION)] != '\n')
			continue;
		for (size_t i = 0; i < sizeof(number) - 1 && p + i < end && p[i] != '\n'; i++)
			number[i] = p[i];
		hz = strtoul(number, NULL, 10);
		return hz <= HZ_MAX ? (unsigned)hz : 0;
	}
	return 0;
}

/* Linux releases [from, to] (major * 1000 + minor) whose version string holds these words. */
static const struct {
	const char *words;
	unsigned from, to;
	unsigned hz;
} built[] = {
	{"debian-kernel@", 3016, 6012, 250}, {"-Ubuntu", 3000, 6010, 250},
	{"-Ubuntu", 6011, UINT32_MAX, 1000}, {".fc", 4000, UINT32_MAX, 1000},
	{".el8", 4000, UINT32_MAX, 1000},    {".el9", 4000, UINT32_MAX, 1000},
	{".el10", 4000, UINT32_MAX, 1000},
};

unsigned kernel_hz_of_version(const char *version)
{
	unsigned major, minor, release;

	if (sscanf(version, "%4u.%3u", &major, &minor) != 2)
		return 0;
	release = major * 1000 + minor;
	for (size_t i = 0; i < sizeof(built) / sizeof(built[0]); i++)
		if (release >= built[i].from && release <= built[i].to &&
		    strstr(version, built[i].words))
			return built[i].hz;
	return 0;
}

static bool try_config_file(struct kernel_hz *out, const char *dir, size_t dir_bytes,
			    const char *name, size_t name_bytes)
{
	uint8_t *text;
	size_t bytes;
	char *path;

	if (asprintf(&path, "%.*s%s%.*s", (int)dir_bytes, dir, dir_bytes ? "/" : "",
		     (int)name_bytes, name) < 0)
		return false;
	if (file_read(path, CONFIG_MAX_BYTES, &text, &bytes, NULL) == 0) {
		out->hz = kernel_hz_of_config((char *)text, bytes);
		snprintf(out->source, sizeof(out->source), "%s", path);
		free(text);
	}
	free(path);
	return out->hz != 0;
}

/* As installed in /boot, or in the tree where it was built: vmlinux or arch/x86/boot/bzImage. */
static bool find_config_file(struct kernel_hz *out, const char *path, const char *version)
{
	const char *slash = strrchr(path, '/');
	size_t dir_bytes = slash ? (size_t)(slash - path) : 0;
	const char *dir = dir_bytes || !slash ? path : "/.";
	char name[128];

	if (!dir_bytes && slash)
		dir_bytes = strlen(dir);
	snprintf(name, sizeof(name), "config-%.*s", (int)strcspn(version, " "), version);
	return try_config_file(out, dir, dir_bytes, name, strlen(name)) ||
	       try_config_file(out, dir, dir_bytes, ".config", 7) ||
	       try_config_file(out, dir, dir_bytes, "../../../.config", 16);
}

/* The configuration in an unpacked kernel. */
static unsigned hz_embedded(const uint8_t *kernel, size_t size_bytes)
{
	const uint8_t *start = memmem(kernel, size_bytes, CONFIG_START, strlen(CONFIG_START));
	uint8_t *text;
	size_t bytes;
	unsigned hz;

	if (!start)
		return 0;
	start += strlen(CONFIG_START);
	if (unpack(start, size_bytes - (size_t)(start - kernel), CONFIG_MAX_BYTES, &text, &bytes,
		   NULL))
		return 0;
	hz = kernel_hz_of_config((char *)text, bytes);
	free(text);
	return hz;
}

static bool find_embedded(struct kernel_hz *out, const uint8_t *file, size_t size_bytes)
{
	const uint8_t *payload;
	size_t bytes;
	uint8_t *kernel;

	if (!bzimage_recognise(file, size_bytes)) {
		out->hz = hz_embedded(file, size_bytes);
	} else if ((payload = bzimage_payload(file, size_bytes, &bytes)) &&
		   unpack(payload, bytes, KERNEL_MAX_BYTES, &kernel, &bytes, NULL) == 0) {
		out->hz = hz_embedded(kernel, bytes);
		free(kernel);
	}
	snprintf(out->source, sizeof(out->source), "its embedded configuration");
	return out->hz != 0;
}

int kernel_hz_find(struct kernel_hz *out, const char *path, const uint8_t *file, size_t size_bytes,
		   struct err *e)
{
	char version[LINUX_VERSION_MAX];

	*out = (struct kernel_hz){0};
	if (!linux_image_version(version, file, size_bytes))
		return err_set(e, ENOENT,
			       "this is no Linux kernel, so that its HZ is not known: tell it by "
			       "--hz, or give --lpj a number");
	if (find_config_file(out, path, version) || find_embedded(out, file, size_bytes))
		return 0;
	out->hz = kernel_hz_of_version(version);
	snprintf(out->source, sizeof(out->source), "its version, %.*s", (int)strcspn(version, " "),
		 version);
	if (out->hz)
		return 0;
	return err_set(e, ENOENT,
		       "HZ of Linux %.*s is not known: there is no config file beside it and none "
		       "in it; tell it by --hz",
		       (int)strcspn(version, " "), version);
}
