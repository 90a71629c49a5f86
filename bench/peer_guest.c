/* SPDX-License-Identifier: MIT */
/* What a VMM that is measured gives its guest. */
#include "bench/peer_guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vmm/bzimage.h"
#include "vmm/file.h"
#include "vmm/initrd.h"
#include "vmm/kernel_study.h"
#include "vmm/load.h"

/* Bytes in a memory file, *fd, that a program which inherits it opens by path. Returns 0 or -errno with e set. */
static int keep(int *fd, const char *what, const uint8_t *data, size_t size_bytes, struct err *e)
{
	int ret;

	*fd = memfd_create(what, 0);
	ret = *fd < 0 ? -errno : file_write_all(*fd, data, size_bytes);
	return ret ? err_set(e, -ret, "can't keep the %s in memory: %s", what, strerror(-ret)) : 0;
}

static int make_initrd(struct peer_guest *g, const struct vm_config *cfg, const char *release,
		       struct err *e)
{
	uint8_t *data;
	size_t size;
	int ret = initrd_read(cfg, release, cfg->memory_bytes, &data, &size, e);

	if (ret || !data)
		return ret;
	ret = keep(&g->initrd_fd, "initrd", data, size, e);
	free(data);
	return ret;
}

/* Overwrites both entry points of the bzImage's protected-mode code. */
static int stop_at_entry(struct peer_guest *g, uint8_t *file, size_t size_bytes, struct err *e)
{
	/* mov $'\n', %al; out %al, $0xe9; 1: hlt; jmp 1b: the same in 32-bit and 64-bit mode. */
	static const uint8_t code[] = {0xb0, '\n', 0xe6, 0xe9, 0xf4, 0xeb, 0xfd};
	size_t entry;
	int ret;

	if (!bzimage_recognise(file, size_bytes))
		return err_set(e, EINVAL, "'%s' is no bzImage, as is needed here", g->kernel);
	entry = bzimage_code_offset(file);
	if (size_bytes < entry + BZIMAGE_ENTRY_64 + sizeof(code))
		return err_set(e, EINVAL, "'%s' is cut short", g->kernel);
	memcpy(file + entry, code, sizeof(code));
	memcpy(file + entry + BZIMAGE_ENTRY_64, code, sizeof(code));
	ret = keep(&g->kernel_fd, "kernel", file, size_bytes, e);
	free(g->kernel);
	g->kernel = NULL;
	if (ret == 0 && asprintf(&g->kernel, "/proc/self/fd/%d", g->kernel_fd) < 0) {
		g->kernel = NULL;
		ret = err_set(e, ENOMEM, "out of memory");
	}
	return ret;
}

/* The kernel's command line by its file, and what is to be in its initrd. */
static int study(struct peer_guest *g, const struct vm_config *cfg, uint64_t tsc_khz,
		 const uint8_t *file, size_t size_bytes, struct err *e)
{
	struct kernel_study k;
	int ret = kernel_study(&k, cfg, tsc_khz, g->kernel, file, size_bytes, e);

	g->cmdline = k.cmdline;
	return ret ? ret : make_initrd(g, cfg, k.release, e);
}

int peer_guest_init(struct peer_guest *g, const struct vm_config *cfg, bool stops_at_entry,
		    uint64_t tsc_khz, struct err *e)
{
	uint8_t *file;
	size_t size;
	int ret;

	*g = (struct peer_guest){.kernel = load_kernel_path(cfg), .kernel_fd = -1, .initrd_fd = -1};
	if (!g->kernel)
		return err_set(e, ENOENT, "there is no kernel '%s' here",
			       cfg->kernel ? cfg->kernel : "bundled");
	ret = file_read(g->kernel, cfg->memory_bytes, &file, &size, e);
	if (ret)
		return ret;
	ret = study(g, cfg, tsc_khz, file, size, e);
	if (ret == 0 && stops_at_entry)
		ret = stop_at_entry(g, file, size, e);
	free(file);
	return ret;
}

void peer_guest_fini(struct peer_guest *g)
{
	free(g->kernel);
	free(g->cmdline);
	if (g->kernel_fd >= 0)
		close(g->kernel_fd);
	if (g->initrd_fd >= 0)
		close(g->initrd_fd);
	*g = (struct peer_guest){.kernel_fd = -1, .initrd_fd = -1};
}
