/* SPDX-License-Identifier: MIT */
/* Which files COMMAND reads and writes, from its words alone. */
#include "lab/words.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vmm/cache_dir.h"

/* Options of vpup's commands whose argument is a file that must be there. */
static const char *const input_options[] = {"--kernel", "--initrd", "--baseline", "-k", "-i"};

/* And those whose argument is a file that they write. */
static const char *const output_options[] = {"--json",    "--timeline",      "--output",
					     "-o",        "--dump-dtb",      "--dump-acpi",
					     "--console", "--virtio-console"};

static int add(struct words *w, const char *path, size_t length, bool is_output, struct err *e)
{
	struct word *grown;

	if (length == 0 || length >= PATH_MAX || path[0] == '-')
		return 0;
	grown = realloc(w->word, (w->count + 1) * sizeof(*grown));
	if (!grown)
		return err_set(e, ENOMEM, "out of memory");
	w->word = grown;
	w->word[w->count] = (struct word){strndup(path, length), is_output, false};
	return w->word[w->count++].path ? 0 : err_set(e, ENOMEM, "out of memory");
}

static bool is_output_option(const char *word)
{
	for (size_t k = 0; k < sizeof(output_options) / sizeof(output_options[0]); k++) {
		size_t length = strlen(output_options[k]);

		if (strncmp(word, output_options[k], length) == 0 &&
		    (!word[length] || word[length] == '=' || word[1] != '-'))
			return true;
	}
	return false;
}

/* All that word may name: itself, up to a comma, behind each '=', and behind a short option. */
static int find_in_word(struct words *w, const char *word, bool is_output, struct err *e)
{
	int ret = add(w, word, strlen(word), is_output, e);

	if (ret == 0)
		ret = add(w, word, strcspn(word, ","), is_output, e);
	for (const char *value = strchr(word, '='); ret == 0 && value;
	     value = strchr(value + 1, '='))
		ret = add(w, value + 1, strcspn(value + 1, ","), is_output, e);
	if (ret == 0 && word[0] == '-' && word[1] != '-' && word[1] && word[2])
		ret = add(w, word + 2, strlen(word + 2), is_output, e);
	return ret;
}

int words_find(struct words *w, char *const *command, struct err *e)
{
	int ret = 0;

	for (size_t i = 1; command[0] && command[i] && ret == 0; i++)
		ret = find_in_word(w, command[i],
				   is_output_option(command[i]) || is_output_option(command[i - 1]),
				   e);
	return ret;
}

/* The argument of an input option at command[*i], which moves to it; NULL: it is no such option. */
static const char *input_argument(char *const *command, size_t *i)
{
	for (size_t k = 0; k < sizeof(input_options) / sizeof(input_options[0]); k++) {
		size_t length = strlen(input_options[k]);
		const char *word = command[*i];

		if (strncmp(word, input_options[k], length))
			continue;
		if (!word[length] && command[*i + 1])
			return command[++*i];
		if (word[1] != '-' && word[length])
			return word + length;
		if (word[length] == '=')
			return word + length + 1;
	}
	return NULL;
}

static int check_inputs(char *const *command, struct err *e)
{
	int ret = 0;

	for (size_t i = 1; ret == 0 && command[0] && command[i]; i++) {
		const char *name = input_argument(command, &i);
		char *path;

		ret = name ? kernel_name_path(name, &path, e) : 0;
		if (!name || ret)
			continue;
		if (access(path, R_OK))
			ret = err_set(e, errno, "can't read '%.180s': %s", path, strerror(errno));
		free(path);
	}
	return ret;
}

char *words_absolute(const char *path, const char *cwd)
{
	char *full;

	if (path[0] == '/')
		return strdup(path);
	return asprintf(&full, "%s/%s", cwd, path) < 0 ? NULL : full;
}

static void add_parent(const char *path, struct files *f)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash && slash > path ? strndup(path, (size_t)(slash - path)) : NULL;
	struct stat st;

	if (dir && stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		files_add_dir(f, dir);
	free(dir);
}

static int add_input(struct word *w, const char *cwd, struct files *f, struct err *e)
{
	const char *word = w->path;
	char *path;
	struct stat st;
	int ret = 0;

	path = words_absolute(word, cwd);
	if (!path)
		ret = err_set(e, ENOMEM, "out of memory");
	else if (stat(path, &st) == 0)
		w->exists = true;
	if (ret == 0 && !w->exists)
		add_parent(path, f);
	else if (ret == 0 && S_ISDIR(st.st_mode))
		files_add_dir(f, path);
	else if (ret == 0 && S_ISREG(st.st_mode))
		ret = files_copy(f, path, path, e);
	free(path);
	return ret;
}

int words_add_inputs(struct words *w, char *const *command, struct files *f, struct err *e)
{
	int ret = check_inputs(command, e);
	char cwd[PATH_MAX];

	if (ret == 0 && !getcwd(cwd, sizeof(cwd)))
		ret = err_set(e, errno, "can't tell this directory's name: %s", strerror(errno));
	if (ret == 0)
		files_add_dir(f, cwd);
	for (size_t i = 0; ret == 0 && i < w->count; i++)
		ret = add_input(&w->word[i], cwd, f, e);
	return ret;
}

/* A hostile L1 must not climb out of the directory that it was allowed. */
static bool climbs(const char *path)
{
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
			return true;
	}
	return false;
}

bool words_allow(const struct words *w, const char *path)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct word *word = &w->word[i];
		size_t length = strlen(word->path);

		if ((word->exists && !word->is_output) || strncmp(path, word->path, length))
			continue;
		if (!path[length] || (path[length] == '/' && !climbs(path + length)))
			return true;
	}
	return false;
}

const char *words_argument(const char *option, char *const *word)
{
	size_t length = strlen(option);

	if (strcmp(word[0], option) == 0)
		return word[1];
	return strncmp(word[0], option, length) == 0 && word[0][length] == '='
		       ? word[0] + length + 1
		       : NULL;
}

void words_fini(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->word[i].path);
	free(w->word);
	*w = (struct words){0};
}
