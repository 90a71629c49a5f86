/* SPDX-License-Identifier: MIT */
/* The files that a program of this host needs to run elsewhere. */
#include "vmm/program_files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vmm/child_process.h"
#include "vmm/file.h"

#define PROGRAM_MAX_BYTES (256u << 20)
#define WORD_ENDS         " \t\n;|&()<>{}$`\"'="

int file_list_add(struct file_list *l, const char *path, struct err *e)
{
	char **more, *copy;

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->path[i], path) == 0)
			return 0;
	copy = strdup(path);
	more = copy ? realloc(l->path, (l->count + 1) * sizeof(*more)) : NULL;
	if (!more) {
		free(copy);
		return err_set(e, ENOMEM, "out of memory");
	}
	l->path = more;
	l->path[l->count++] = copy;
	return 0;
}

void file_list_fini(struct file_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->path[i]);
	free(l->path);
	*l = (struct file_list){0};
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *program_find(const char *name)
{
	const char *dirs = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return is_program(name) ? realpath(name, NULL) : NULL;
	if (!dirs)
		dirs = "/usr/bin:/bin";
	for (size_t n; name[0] && *dirs; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		snprintf(path, sizeof(path), "%.*s/%s", (int)n, dirs, name);
		if (path[0] == '/' && is_program(path))
			return strdup(path);
	}
	return NULL;
}

/* Takes the absolute path out of a line of the loader: "libc.so.6 => /lib/... (0x...)" or without. */
static char *library_of(char *line)
{
	char *path = strchr(line, '/');

	if (!path)
		return NULL;
	path[strcspn(path, " \n")] = '\0';
	return path;
}

/* Asks the loader what the program would load. */
static int add_libraries(struct file_list *l, const char *loader, const char *program,
			 struct err *e)
{
	char *const argv[] = {(char *)loader, "--list", (char *)program, NULL};
	char line[PATH_MAX + 256];
	int out[2], ret = 0, status;
	pid_t pid;
	FILE *f;

	if (pipe2(out, O_CLOEXEC) < 0)
		return err_set(e, errno, "can't create a pipe: %s", strerror(errno));
	ret = child_start(&(struct child_start){.exe = loader,
						.argv = argv,
						.out_fd = out[1],
						.err_fd = out[1]},
			  &pid);
	close(out[1]);
	f = ret ? NULL : fdopen(out[0], "r");
	if (!f)
		close(out[0]);
	if (ret)
		return err_set(e, ret, "can't run %s: %s", loader, strerror(ret));
	while (f && fgets(line, sizeof(line), f)) {
		char *path = library_of(line);

		if (path && ret == 0)
			ret = file_list_add(l, path, e);
	}
	if (f)
		fclose(f);
	waitpid(pid, &status, 0);
	if (ret == 0 && status != 0)
		return err_set(e, ENOEXEC, "%s can't tell the libraries of %s", loader, program);
	return ret;
}

static int add_elf(struct file_list *l, const char *path, const uint8_t *file, size_t size_bytes,
		   struct err *e)
{
	Elf64_Ehdr h;
	Elf64_Phdr ph;
	char loader[PATH_MAX];
	int ret;

	if (size_bytes < sizeof(h) || file[EI_CLASS] != ELFCLASS64)
		return 0;
	memcpy(&h, file, sizeof(h));
	for (unsigned i = 0; i < h.e_phnum; i++) {
		uint64_t off = h.e_phoff + (uint64_t)i * sizeof(ph);

		if (off > size_bytes || size_bytes - off < sizeof(ph))
			return 0;
		memcpy(&ph, file + off, sizeof(ph));
		if (ph.p_type != PT_INTERP)
			continue;
		if (ph.p_offset > size_bytes || ph.p_filesz > size_bytes - ph.p_offset ||
		    ph.p_filesz >= sizeof(loader))
			return 0;
		memcpy(loader, file + ph.p_offset, ph.p_filesz);
		loader[ph.p_filesz] = '\0';
		ret = file_list_add(l, loader, e);
		return ret ? ret : add_libraries(l, loader, path, e);
	}
	return 0; /* static */
}

/* "#!/bin/sh -e": the interpreter, and where it is env, the program that env is to find. */
static int add_script(struct file_list *l, const uint8_t *file, size_t size_bytes, struct err *e)
{
	char line[256];
	size_t n = size_bytes - 2 < sizeof(line) - 1 ? size_bytes - 2 : sizeof(line) - 1;

	memcpy(line, file + 2, n);
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return program_files_add_words(l, line, e);
}

int program_files_add(struct file_list *l, const char *path, struct err *e)
{
	size_t before = l->count, size;
	uint8_t *file;
	int ret = file_list_add(l, path, e);

	if (ret || l->count == before)
		return ret;
	ret = file_read(path, PROGRAM_MAX_BYTES, &file, &size, e);
	if (ret)
		return ret;
	if (size > SELFMAG && memcmp(file, ELFMAG, SELFMAG) == 0)
		ret = add_elf(l, path, file, size, e);
	else if (size > 2 && memcmp(file, "#!", 2) == 0)
		ret = add_script(l, file, size, e);
	free(file);
	return ret;
}

int program_files_add_words(struct file_list *l, const char *command, struct err *e)
{
	char *copy = strdup(command), *save = NULL;
	int ret = copy ? 0 : err_set(e, ENOMEM, "out of memory");

	for (char *word = copy ? strtok_r(copy, WORD_ENDS, &save) : NULL; word && ret == 0;
	     word = strtok_r(NULL, WORD_ENDS, &save)) {
		char *path = program_find(word);

		if (path)
			ret = program_files_add(l, path, e);
		free(path);
	}
	free(copy);
	return ret;
}
