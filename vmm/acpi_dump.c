/* SPDX-License-Identifier: MIT */
/* Writes the ACPI tables as files, named as acpidump does, for iasl and for people. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "vmm/acpi.h"
#include "vmm/outfile.h"

static int dump_one(const char *dir, const char *signature, const void *data, size_t size_bytes,
		    struct err *e)
{
	char path[PATH_MAX], name[5] = "";
	int len;

	for (size_t i = 0; i < 4; i++)
		name[i] = (char)tolower((unsigned char)signature[i]);
	len = snprintf(path, sizeof(path), "%s/%s.dat", dir, name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return err_set(e, ENAMETOOLONG, "can't write to %s: %s", dir,
			       strerror(ENAMETOOLONG));
	return outfile_write(path, data, size_bytes, e);
}

int acpi_dump(const struct acpi_tables *a, const char *dir, struct err *e)
{
	int ret;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return err_set(e, errno, "can't make the directory %s: %s", dir, strerror(errno));
	ret = dump_one(dir, "RSDP", a->rsdp, sizeof(a->rsdp), e);
	for (unsigned i = 0; i < a->table_count && !ret; i++) {
		const struct acpi_table_ref *t = &a->table[i];

		ret = dump_one(dir, t->signature, a->data + t->offset, t->size_bytes, e);
	}
	return ret;
}
