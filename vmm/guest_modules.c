/* SPDX-License-Identifier: MIT */
/* Kernel modules for vpup's devices. */
#include "vmm/guest_modules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guest-kernel/abi/init.h"
#include "vmm/cache_dir.h"
#include "vmm/kernel_modules.h"

static bool always(const struct vm_config *cfg)
{
	(void)cfg;
	return true;
}

static bool has_disk(const struct vm_config *cfg)
{
	return cfg->disk_count;
}

static bool has_net(const struct vm_config *cfg)
{
	return cfg->net;
}

static bool has_share(const struct vm_config *cfg)
{
	return cfg->share_count;
}

static bool has_rng(const struct vm_config *cfg)
{
	return cfg->rng;
}

static bool has_hvc(const struct vm_config *cfg)
{
	return cfg->hvc.kind != CONSOLE_NONE;
}

static bool has_virtio(const struct vm_config *cfg)
{
	return has_disk(cfg) || has_net(cfg) || has_share(cfg) || has_rng(cfg) || has_hvc(cfg);
}

static const struct {
	const char *name;
	bool (*wanted)(const struct vm_config *cfg);
} modules[] = {
	{"button", always},          {"virtio_mmio", has_virtio}, {"virtio_blk", has_disk},
	{"virtio_net", has_net},     {"virtiofs", has_share},     {"virtio_rng", has_rng},
	{"virtio_console", has_hvc},
};

#define MODULES (sizeof(modules) / sizeof(modules[0]))

_Static_assert(MODULES <= GUEST_MODULES_MAX, "room for all");

size_t guest_modules_names(const struct vm_config *cfg, const char *names[GUEST_MODULES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < MODULES; i++)
		if (!cfg || modules[i].wanted(cfg))
			names[n++] = modules[i].name;
	return n;
}

/* malloc'ed. NULL with *ret 0: nowhere; nobody asked for a certain place. */
static char *find_tree(const struct vm_config *cfg, const char *release, int *ret, struct err *e)
{
	struct stat st;
	char *tree;

	*ret = 0;
	if (cfg->modules)
		tree = strdup(cfg->modules);
	else if (kernel_name_is_cached(cfg->kernel))
		tree = kernel_name_modules(cfg->kernel);
	else if (asprintf(&tree, "/lib/modules/%.*s", (int)strcspn(release, " /"), release) < 0)
		tree = NULL;
	if (!tree) {
		*ret = err_set(e, ENOMEM, "out of memory");
		return NULL;
	}
	if (cfg->modules || (stat(tree, &st) == 0 && S_ISDIR(st.st_mode)))
		return tree;
	free(tree);
	return NULL;
}

static void add_to_archive(struct cpio *c, const struct modules *m)
{
	char path[sizeof(INIT_MODULES_DIR) + MODULE_NAME_MAX + 16];

	cpio_add_parents(c, &INIT_MODULES_DIR[1]);
	cpio_add_dir(c, &INIT_MODULES_DIR[1]);
	for (size_t i = 0; i < m->count; i++) {
		snprintf(path, sizeof(path), "%s/%02zu-%s.ko", &INIT_MODULES_DIR[1], i,
			 m->module[i].name);
		cpio_add_file(c, path, 0644, m->module[i].data, m->module[i].size_bytes);
	}
}

int guest_modules_add(struct cpio *c, const struct vm_config *cfg, const char *release,
		      struct err *e)
{
	const char *names[GUEST_MODULES_MAX];
	struct modules m = {.count = 0};
	size_t n = guest_modules_names(cfg, names);
	int ret;
	char *tree = find_tree(cfg, release, &ret, e);

	for (size_t i = 0; tree && ret == 0 && i < n; i++) {
		ret = modules_add(&m, tree, names[i], e);
		if (ret == -ENOENT)
			ret = 0;
	}
	if (tree && ret == 0)
		add_to_archive(c, &m);
	modules_fini(&m);
	free(tree);
	return ret;
}
