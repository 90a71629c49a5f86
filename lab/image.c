/* SPDX-License-Identifier: MIT */
/* Makes L1's file system: two archives in a row, of which the cache has the first. */
#include "lab/image.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/job.h"
#include "lab/l1_paths.h"
#include "lab/libs.h"
#include "vmm/file.h"

#define IMAGE_KIND "image"

/* vpup can do without its files until COMMAND wants them, and then it says so. */
static int add_beside(struct files *f, const char *name, struct err *e)
{
	char *from = file_of_vpup(name), *path = NULL;
	int ret = 0;

	if (!from || asprintf(&path, L1_DIR "/%s", name) < 0)
		ret = err_set(e, ENOMEM, "out of memory");
	else if (access(from, R_OK) == 0)
		ret = files_copy(f, path, from, e);
	free(path);
	free(from);
	return ret;
}

static int add_vpup(struct files *f, struct err *e)
{
	static const char *const beside[] = {"vpup-guest.elf", "vpup-init"};
	/* By its name: to its interpreter, /proc/self/exe would be the interpreter. */
	char *vpup = realpath("/proc/self/exe", NULL);
	int ret = vpup ? libs_add_program(f, L1_VPUP, vpup, e)
		       : err_set(e, errno, "can't tell where vpup is: %s", strerror(errno));

	for (size_t i = 0; ret == 0 && i < sizeof(beside) / sizeof(beside[0]); i++)
		ret = add_beside(f, beside[i], e);
	free(vpup);
	return ret;
}

/* Copies, as the modules stay the caller's. */
static int add_modules(struct files *f, const struct modules *m, struct err *e)
{
	char order[MODULES_MAX * MODULE_NAME_MAX] = "", *end = order;

	for (size_t i = 0; i < m->count; i++) {
		const struct module *module = &m->module[i];
		uint8_t *data = malloc(module->size_bytes);
		char path[sizeof(L1_MODULES) + MODULE_NAME_MAX];

		if (!data)
			return err_set(e, ENOMEM, "out of memory");
		memcpy(data, module->data, module->size_bytes);
		snprintf(path, sizeof(path), L1_MODULES "/%s.ko", module->name);
		files_add(f, path, 0644, data, module->size_bytes);
		end += sprintf(end, "%s.ko\n", module->name);
	}
	files_add(f, L1_ORDER, 0644, (uint8_t *)strdup(order), strlen(order));
	return 0;
}

static int base_from(struct cache *c, const struct files *f, uint8_t **data, size_t *size_bytes,
		     struct err *e)
{
	struct digest key;
	int ret = files_digest(f, &key, e);

	if (ret == 0)
		ret = cache_lock(c, e);
	if (ret)
		return ret;
	if (cache_get(c, IMAGE_KIND, key, data, size_bytes)) {
		ret = files_archive(f, data, size_bytes, e);
		if (ret == 0)
			ret = cache_put(c, IMAGE_KIND, key, *data, *size_bytes, e);
		if (ret)
			free(*data);
	}
	cache_unlock(c);
	return ret;
}

int image_base(struct cache *c, const struct modules *m, uint8_t **data, size_t *size_bytes,
	       struct err *e)
{
	struct files f = {0};
	int ret = add_vpup(&f, e);

	*data = NULL;
	files_add_dir(&f, L1_MODULES);
	if (ret == 0)
		ret = add_modules(&f, m, e);
	if (ret == 0 && f.failed)
		ret = err_set(e, ENOMEM, "out of memory");
	if (ret == 0)
		ret = base_from(c, &f, data, size_bytes, e);
	if (ret)
		*data = NULL;
	files_fini(&f);
	return ret;
}

static int append(uint8_t **data, size_t *size_bytes, const struct files *f, struct err *e)
{
	uint8_t *archive, *grown;
	size_t archive_bytes;
	int ret = files_archive(f, &archive, &archive_bytes, e);

	if (ret)
		return ret;
	grown = realloc(*data, *size_bytes + archive_bytes);
	if (grown) {
		memcpy(grown + *size_bytes, archive, archive_bytes);
		*data = grown;
		*size_bytes += archive_bytes;
	}
	free(archive);
	return grown ? 0 : err_set(e, ENOMEM, "out of memory");
}

int image_add_job(uint8_t **data, size_t *size_bytes, char *const *command, const struct words *w,
		  struct files *files, struct err *e)
{
	char cwd[PATH_MAX], *text;
	int ret = getcwd(cwd, sizeof(cwd)) ? 0 : err_set(e, errno, "can't tell this directory");

	if (ret == 0)
		ret = job_text(command, cwd, w, &text, e);
	if (ret)
		return ret;
	files_add(files, L1_JOB, 0644, (uint8_t *)text, strlen(text));
	return append(data, size_bytes, files, e);
}
