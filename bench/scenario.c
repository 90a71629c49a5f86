/* SPDX-License-Identifier: MIT */
/* Scenarios by their names: those built in, and files. */
#include "bench/scenario.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"
#include "vmm/file.h"

#define SUFFIX    ".scenario"
#define NAMES_MAX 32

const struct scenario_file *scenario_find(const char *name)
{
	for (size_t i = 0; scenario_files[i].name; i++) {
		if (strcmp(scenario_files[i].name, name) == 0)
			return &scenario_files[i];
	}
	return NULL;
}

static bool has_suffix(const char *path)
{
	size_t length = strlen(path), suffix = strlen(SUFFIX);

	return length > suffix && strcmp(path + length - suffix, SUFFIX) == 0;
}

static int name_refuse(const char *name, struct err *e)
{
	const char *names[NAMES_MAX] = {NULL}, *near;
	char list[160] = "";

	for (size_t i = 0; scenario_files[i].name && i + 1 < NAMES_MAX; i++) {
		size_t used = strlen(list);

		names[i] = scenario_files[i].name;
		snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", names[i]);
	}
	near = cli_suggest(name, names);
	if (near)
		return err_set(e, EINVAL, "no scenario '%.40s'; did you mean '%s'?", name, near);
	return err_set(e, EINVAL, "no scenario '%.40s'; possible are: %s, or a *" SUFFIX " file",
		       name, list);
}

/* "dir/my.scenario" is "my". */
static void name_of_path(const char *path, char name[SCENARIO_NAME_SIZE])
{
	const char *slash = strrchr(path, '/');

	snprintf(name, SCENARIO_NAME_SIZE, "%s", slash ? slash + 1 : path);
	if (has_suffix(name))
		name[strlen(name) - strlen(SUFFIX)] = '\0';
}

static int load_file(struct scenario *s, const char *path, struct err *e)
{
	uint8_t *data;
	size_t size;
	int ret = file_read(path, CONF_SIZE_MAX, &data, &size, e);

	if (ret)
		return ret;
	ret = scenario_parse(s, path, (const char *)data, size, e);
	free(data);
	name_of_path(path, s->name);
	return ret;
}

int scenario_load(struct scenario *s, const char *name_or_path, struct err *e)
{
	const struct scenario_file *file = scenario_find(name_or_path);
	int ret;

	*s = (struct scenario){.repeats = 0};
	if (!file && (strchr(name_or_path, '/') || has_suffix(name_or_path)))
		return load_file(s, name_or_path, e);
	if (!file)
		return name_refuse(name_or_path, e);
	ret = scenario_parse(s, file->name, file->text, strlen(file->text), e);
	snprintf(s->name, sizeof(s->name), "%s", file->name);
	return ret;
}

void scenario_fini(struct scenario *s)
{
	conf_fini(&s->conf);
	*s = (struct scenario){.repeats = 0};
}
