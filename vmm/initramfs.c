/* SPDX-License-Identifier: MIT */
/* The initramfs of `vpup run --exec`. */
#include "vmm/initramfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest-kernel/abi/init.h"
#include "vmm/file.h"
#include "vmm/guest_modules.h"
#include "vmm/program_files.h"
#include "vmm/terminal.h"

#define HELPER         "vpup-init"
#define FILE_MAX_BYTES (1u << 30)

static int add_file_as(struct cpio *c, const char *path, const char *name, struct err *e)
{
	uint8_t *data;
	size_t size;
	int ret = file_read(path, FILE_MAX_BYTES, &data, &size, e);

	if (ret)
		return ret;
	cpio_add_parents(c, name);
	cpio_add_file(c, name, 0755, data, size);
	free(data);
	return 0;
}

static int add_helper(struct cpio *c, struct err *e)
{
	char *path = file_of_vpup(HELPER);
	int ret = path ? add_file_as(c, path, "init", e) : err_set(e, ENOMEM, "out of memory");

	free(path);
	return ret;
}

static int add_shell(struct file_list *l, struct err *e)
{
	int ret;

	if (access("/bin/sh", X_OK))
		return err_set(e, ENOENT, "this host has no /bin/sh to run the command");
	ret = program_files_add(l, "/bin/sh", e);
	return ret;
}

/* libslirp's network has fixed addresses: nobody needs to ask it for one. */
static bool has_user_network(const struct vm_config *cfg)
{
	return cfg->net && strncmp(cfg->net, "user", 4) == 0;
}

static void add_options(struct cpio *c, const struct vm_config *cfg)
{
	const char *term = getenv("TERM");
	unsigned rows = 0, columns = 0;
	char text[80];
	int n;

	terminal_size(&rows, &columns);
	n = snprintf(text, sizeof(text), INIT_OPTIONS_FORMAT "\n", isatty(STDIN_FILENO), (int)rows,
		     (int)columns, has_user_network(cfg), term && term[0] ? term : "dumb");
	cpio_add_parents(c, &INIT_COMMAND_FILE[1]);
	cpio_add_file(c, &INIT_OPTIONS_FILE[1], 0644, text, (size_t)n);
	cpio_add_file(c, &INIT_COMMAND_FILE[1], 0644, cfg->exec, strlen(cfg->exec));
	if (cfg->cwd)
		cpio_add_file(c, &INIT_CWD_FILE[1], 0644, cfg->cwd, strlen(cfg->cwd));
}

static void add_skeleton(struct cpio *c)
{
	static const char *const dirs[] = {"dev", "proc", "sys", "tmp",
					   "run", "root", "bin", "etc"};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		cpio_add_dir(c, dirs[i]);
	/* Linux opens it for /init before anything is mounted. */
	cpio_add_char_device(c, "dev/console", 5, 1);
}

int initramfs_build(struct cpio *out, const struct vm_config *cfg, const char *release,
		    struct err *e)
{
	struct file_list files = {0};
	int ret;

	*out = (struct cpio){0};
	add_skeleton(out);
	add_options(out, cfg);
	ret = add_helper(out, e);
	if (ret == 0)
		ret = add_shell(&files, e);
	if (ret == 0)
		ret = program_files_add_words(&files, cfg->exec, e);
	if (ret == 0)
		ret = guest_modules_add(out, cfg, release, e);
	for (size_t i = 0; ret == 0 && i < files.count; i++)
		ret = add_file_as(out, files.path[i], files.path[i] + 1, e);
	file_list_fini(&files);
	if (ret)
		return ret;
	cpio_end(out);
	return out->failed ? err_set(e, ENOMEM, "out of memory for the initramfs") : 0;
}
