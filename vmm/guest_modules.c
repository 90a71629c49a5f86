/* SPDX-License-Identifier: MIT */
/* Kernel modules for vpup's devices. */
#include "vmm/guest_modules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guest-kernel/abi/init.h"
#include "vmm/cache_dir.h"
#include "vmm/glue.h"

#define BUTTON_MODULE "button" /* Linux does not notice the power button without */

/* What the tree does not have is taken to be built in. */
static int read_one(struct modules *m, const char *tree, const char *name, struct err *e)
{
	int ret = modules_add(m, tree, name, e);

	return ret == -ENOENT ? 0 : ret;
}

int guest_modules_read(struct modules *m, const struct vm_config *cfg, const char *tree,
		       struct err *e)
{
	const char *names[VIRTIO_MODULES_MAX];
	size_t n = virtio_modules(cfg, names);
	int ret = read_one(m, tree, BUTTON_MODULE, e);

	for (size_t i = 0; ret == 0 && i < n; i++)
		ret = read_one(m, tree, names[i], e);
	return ret;
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
	struct modules m = {.count = 0};
	int ret;
	char *tree = find_tree(cfg, release, &ret, e);

	if (!tree)
		return ret;
	ret = guest_modules_read(&m, cfg, tree, e);
	if (ret == 0)
		add_to_archive(c, &m);
	modules_fini(&m);
	free(tree);
	return ret;
}
