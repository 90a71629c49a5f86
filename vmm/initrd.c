/* SPDX-License-Identifier: MIT */
/* The initrd that a kernel gets. */
#include "vmm/initrd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/file.h"
#include "vmm/initramfs.h"

#define ARCHIVE_ALIGN 4u /* of one behind another */

/* The archive of --exec behind the initrd's, if there is one: what comes last counts. */
static int append_initramfs(const struct vm_config *cfg, const char *release, uint8_t **data,
			    size_t *size, struct err *e)
{
	size_t padding = -*size % ARCHIVE_ALIGN;
	struct cpio c;
	uint8_t *both;
	int ret = initramfs_build(&c, cfg, release, e);

	both = ret ? NULL : realloc(*data, *size + padding + c.size_bytes);
	if (both) {
		memset(both + *size, 0, padding);
		memcpy(both + *size + padding, c.data, c.size_bytes);
		*data = both;
		*size += padding + c.size_bytes;
	} else if (!ret) {
		ret = err_set(e, ENOMEM, "out of memory for the initramfs");
	}
	cpio_fini(&c);
	return ret;
}

int initrd_read(const struct vm_config *cfg, const char *release, uint64_t max_bytes,
		uint8_t **data, size_t *size_bytes, struct err *e)
{
	struct err why;
	int ret = 0;

	*data = NULL;
	*size_bytes = 0;
	if (cfg->initrd && file_read(cfg->initrd, max_bytes, data, size_bytes, &why))
		return err_set(e, EINVAL, "initrd: %s", why.text);
	if (cfg->exec && append_initramfs(cfg, release, data, size_bytes, &why))
		ret = err_set(e, EINVAL, "--exec: %s", why.text);
	if (ret) {
		free(*data);
		*data = NULL;
	}
	return ret;
}
