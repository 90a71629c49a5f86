/* SPDX-License-Identifier: MIT */
/* cpio archives in memory, in the "newc" format. */
#include "vmm/cpio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ALIGN        4u
#define END_ALIGN    512u
#define HEADER_BYTES 110
#define TRAILER      "TRAILER!!!"

struct entry {
	const char *path;
	mode_t mode;
	unsigned major, minor; /* of a device */
	const void *data;
	size_t size_bytes;
};

static void put(struct cpio *c, const void *data, size_t size_bytes)
{
	if (c->failed)
		return;
	if (size_bytes > c->capacity - c->size_bytes) {
		size_t capacity = (c->size_bytes + size_bytes) * 2;
		uint8_t *bigger = realloc(c->data, capacity);

		c->failed = !bigger;
		if (!bigger)
			return;
		c->data = bigger;
		c->capacity = capacity;
	}
	if (size_bytes)
		memcpy(c->data + c->size_bytes, data, size_bytes);
	c->size_bytes += size_bytes;
}

static void pad(struct cpio *c, size_t align)
{
	static const uint8_t zero[END_ALIGN];

	put(c, zero, -c->size_bytes % align);
}

/* Thirteen numbers of eight hexadecimal digits follow the magic number; zero: time, owner, sum. */
static void add(struct cpio *c, const struct entry *e)
{
	char header[HEADER_BYTES + 1];
	unsigned links = S_ISDIR(e->mode) ? 2 : 1;

	snprintf(header, sizeof(header),
		 "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", ++c->entries,
		 (unsigned)e->mode, 0u, 0u, links, 0u, (unsigned)e->size_bytes, 0u, 0u, e->major,
		 e->minor, (unsigned)strlen(e->path) + 1, 0u);
	put(c, header, HEADER_BYTES);
	put(c, e->path, strlen(e->path) + 1);
	pad(c, ALIGN);
	put(c, e->data, e->size_bytes);
	pad(c, ALIGN);
}

void cpio_add_dir(struct cpio *c, const char *path)
{
	add(c, &(struct entry){.path = path, .mode = S_IFDIR | 0755});
}

void cpio_add_file(struct cpio *c, const char *path, mode_t permissions, const void *data,
		   size_t size_bytes)
{
	if (size_bytes > UINT32_MAX)
		c->failed = true; /* the format ends there */
	add(c, &(struct entry){.path = path,
			       .mode = S_IFREG | permissions,
			       .data = data,
			       .size_bytes = size_bytes});
}

void cpio_add_symlink(struct cpio *c, const char *path, const char *target)
{
	add(c, &(struct entry){.path = path,
			       .mode = S_IFLNK | 0777,
			       .data = target,
			       .size_bytes = strlen(target)});
}

void cpio_add_char_device(struct cpio *c, const char *path, unsigned major, unsigned minor)
{
	add(c,
	    &(struct entry){.path = path, .mode = S_IFCHR | 0600, .major = major, .minor = minor});
}

void cpio_add_parents(struct cpio *c, const char *path)
{
	char *copy = strdup(path);

	if (!copy) {
		c->failed = true;
		return;
	}
	for (char *slash = strchr(copy, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (copy[0])
			cpio_add_dir(c, copy);
		*slash = '/';
	}
	free(copy);
}

void cpio_end(struct cpio *c)
{
	add(c, &(struct entry){.path = TRAILER});
	pad(c, END_ALIGN);
}

void cpio_fini(struct cpio *c)
{
	free(c->data);
	*c = (struct cpio){0};
}
