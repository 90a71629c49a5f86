/* SPDX-License-Identifier: MIT */
/* What COMMAND needs in L1: kernels, programs, libraries. */
#include "lab/needs.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/matrix.h"
#include "bench/scenario.h"
#include "lab/l1_paths.h"
#include "lab/libs.h"
#include "lab/words.h"
#include "vmm/archive_lib.h"
#include "vmm/cache_dir.h"
#include "vmm/firmware.h"
#include "vmm/firmware_boot.h"
#include "vmm/guest_modules.h"
#include "vmm/net_backend.h"
#include "vmm/program_files.h"
#include "vmm/qemu.h"
#include "vmm/share.h"

#define VERSION_CHARS "0123456789."

/* Those that drive vpup's devices, of a tree on this host, as dir of L1. */
static int add_modules(struct files *f, const char *dir, const char *tree, struct err *e)
{
	struct modules m = {.count = 0};
	char path[PATH_MAX];
	int ret = guest_modules_read(&m, NULL, tree, e);

	files_add_dir(f, dir);
	for (size_t i = 0; ret == 0 && i < m.count; i++) {
		snprintf(path, sizeof(path), "%s/%s.ko", dir, m.module[i].name);
		files_add(f, path, 0644, m.module[i].data, m.module[i].size_bytes);
		m.module[i].data = NULL;
	}
	modules_fini(&m);
	return ret;
}

static int add_kernel(struct files *f, const char *name, struct err *e)
{
	const char *version = name + strlen(KERNEL_NAME_PREFIX);
	char path[128], dir[128], *from, *tree;
	int ret = kernel_name_path(name, &from, e);

	if (ret)
		return ret;
	tree = kernel_name_modules(name);
	snprintf(path, sizeof(path), L1_CACHE "/vpup/kernel-%s/vmlinuz", version);
	snprintf(dir, sizeof(dir), L1_CACHE "/vpup/kernel-%s/modules", version);
	if (!tree)
		ret = err_set(e, ENOMEM, "out of memory");
	else if (!files_find(f, path))
		ret = files_copy(f, path, from, e);
	if (ret == 0 && !files_find(f, dir))
		ret = add_modules(f, dir, tree, e);
	free(tree);
	free(from);
	return ret;
}

/* Each lab:VERSION in a text. */
static int add_kernels(struct files *f, const char *text, struct err *e)
{
	int ret = 0;

	while (ret == 0 && (text = strstr(text, KERNEL_NAME_PREFIX))) {
		size_t length = strlen(KERNEL_NAME_PREFIX) +
				strspn(text + strlen(KERNEL_NAME_PREFIX), VERSION_CHARS);
		char name[32];

		snprintf(name, sizeof(name), "%.*s", (int)length, text);
		if (length > strlen(KERNEL_NAME_PREFIX) && length < sizeof(name))
			ret = add_kernel(f, name, e);
		text += length;
	}
	return ret;
}

static int add_daemon(struct files *f, struct err *e)
{
	const char *daemon = share_daemon();

	return daemon ? libs_add_program(f, daemon, daemon, e) : 0;
}

typedef int add_dir_fn(struct files *f, const char *path, const char *from, struct err *e);

/* An option's directory, at the path that COMMAND has for it: links may lead there. */
static int add_dir(struct files *f, const char *option, const char *dir, add_dir_fn *add,
		   struct err *e)
{
	char *from = realpath(dir, NULL), *cwd = NULL, *path = NULL;
	struct stat st;
	int ret = 0;

	if (!from || stat(from, &st))
		ret = err_set(e, errno, "%s: '%.160s': %s", option, dir, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		ret = err_set(e, ENOTDIR, "%s: '%.160s' is not a directory", option, dir);
	else if (strcmp(from, "/") == 0)
		ret = err_set(e, EINVAL,
			      "%s: '%.160s' is all of this machine; L1 gets a directory below",
			      option, dir);
	if (ret == 0) {
		cwd = get_current_dir_name();
		path = cwd ? words_absolute(dir, cwd) : NULL;
		ret = path ? add(f, path, from, e) : err_set(e, ENOMEM, "out of memory");
	}
	free(path);
	free(cwd);
	free(from);
	return ret;
}

/* DIR of DIR=TAG[,ro], whole. */
static int add_share(struct files *f, const char *share, struct err *e)
{
	const char *tag = strrchr(share, '=');
	char *dir = strndup(share, tag ? (size_t)(tag - share) : strlen(share));
	int ret = dir ? add_dir(f, "--share", dir, files_copy_tree, e)
		      : err_set(e, ENOMEM, "out of memory");

	free(dir);
	return ret;
}

/* Those of a NULL-terminated list that this host has. */
static int add_roms(struct files *f, const char *const *roms, struct err *e)
{
	char path[FIRMWARE_ROM_PATH_MAX];
	int ret = 0;

	for (; ret == 0 && *roms; roms++)
		if (firmware_rom_path(*roms, path))
			ret = files_copy(f, path, path, e);
	return ret;
}

/* A PC BIOS, and the ROMs that start kernels with it. What is missing vpup in L1 will name. */
static int add_firmware(struct files *f, const char *spec, struct err *e)
{
	const char *path;
	int ret = 0;

	if (firmware_path(spec, &path, NULL) == 0 && access(path, R_OK) == 0)
		ret = files_copy(f, path, path, e);
	return ret ? ret : add_roms(f, firmware_roms, e);
}

/* QEMU with the firmware and the ROMs that its microvm starts kernels by. */
static int add_qemu(struct files *f, struct err *e)
{
	static const char *const bios[] = {"bios-microvm.bin", NULL};
	char *program = program_find(QEMU_PROGRAM);
	int ret = program ? libs_add_program(f, program, program, e) : 0;

	if (program && ret == 0)
		ret = add_roms(f, bios, e);
	if (program && ret == 0)
		ret = add_roms(f, firmware_roms, e);
	free(program);
	return ret;
}

static bool names_qemu(char *const *word)
{
	const char *impl = words_argument("--impl", word), *set = words_argument("--set", word);

	return (impl && strcmp(impl, MATRIX_QEMU) == 0) ||
	       (set && strncmp(set, "impl=", 5) == 0 && strstr(set, MATRIX_QEMU));
}

static int add_for_word(struct files *f, char *const *word, struct err *e)
{
	const char *command = words_argument("--exec", word);
	int ret = add_kernels(f, *word, e);

	if (ret == 0 && command)
		ret = libs_add_command(f, command, e);
	if (ret == 0 && words_argument("--share", word))
		ret = add_share(f, words_argument("--share", word), e);
	if (ret == 0 && (command || words_argument("--share", word)))
		ret = add_daemon(f, e);
	if (ret == 0 && words_argument("--modules", word))
		ret = add_dir(f, "--modules", words_argument("--modules", word), add_modules, e);
	if (ret == 0 && words_argument("--firmware", word))
		ret = add_firmware(f, words_argument("--firmware", word), e);
	if (ret == 0 && words_argument("--net", word))
		ret = libs_add_library(f, SLIRP_LIBRARY, e);
	if (ret == 0 && names_qemu(word))
		ret = add_qemu(f, e);
	if (ret == 0 && words_argument("--lpj", word))
		ret = libs_add_library(f, ARCHIVE_LIBRARY, e);
	return ret;
}

static int add_for_dimension(struct files *f, const struct scenario_dimension *d, struct err *e)
{
	if (strcmp(d->key, "kernel") == 0)
		return add_kernels(f, d->values, e);
	if (strcmp(d->key, "exec") == 0)
		return libs_add_command(f, d->values, e);
	if (strcmp(d->key, "lpj") == 0 && strstr(d->values, "auto"))
		return libs_add_library(f, ARCHIVE_LIBRARY, e);
	if (strcmp(d->key, "impl") == 0 && strstr(d->values, MATRIX_QEMU))
		return add_qemu(f, e);
	return 0;
}

/*
 * Kernels that are varied, commands that they run, other VMMs: `bench linux-lpj`. A word that names no scenario is
 * something else, or vpup in L1 will say what is wrong with it.
 */
static int add_for_scenario(struct files *f, const char *name, struct err *e)
{
	struct scenario s;
	struct err why;
	int ret = 0;

	if (scenario_load(&s, name, &why) == 0)
		for (size_t i = 0; ret == 0 && i < s.dimensions; i++)
			ret = add_for_dimension(f, &s.dimension[i], e);
	scenario_fini(&s);
	return ret;
}

int needs_add(struct files *f, char *const *command, struct err *e)
{
	bool is_bench = command[0] && strcmp(command[0], "bench") == 0;
	int ret = 0;

	for (char *const *word = command; *word && ret == 0; word++) {
		ret = add_for_word(f, word, e);
		if (ret == 0 && is_bench && word > command && **word != '-')
			ret = add_for_scenario(f, *word, e);
	}
	return ret;
}
