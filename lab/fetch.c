/* SPDX-License-Identifier: MIT */
/* Runs apt with lists, cache and configuration of its own, all in vpup's cache. */
#include "lab/fetch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/apt_sources.h"
#include "lab/cache.h"
#include "lab/spawn.h"
#include "lab/store.h"
#include "vmm/cache_dir.h"
#include "vmm/cli.h"
#include "vmm/outfile.h"

#define CMD         "lab fetch"
#define META        "linux-image-cloud-amd64" /* depends on the newest kernel of its suite */
#define PACKAGE_MAX 128

/* Where Debian has a kernel: the first suite whose kernel it is. */
static const struct {
	const char *version;
	const char *suite;
} suites[] = {
	{"6.1", "bookworm"},
	{"6.12", "bookworm-backports"},
	{"6.12", "trixie"},
};

#define SUITES (sizeof(suites) / sizeof(suites[0]))

struct fetch {
	const char *version;
	struct cache cache;
	struct apt_mirrors mirrors;
	char *dir;                 /* apt's: in the cache; owned */
	char package[PACKAGE_MAX]; /* what META depends on */
};

static int write_file(const struct fetch *f, const char *name, const char *text, struct err *e)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s/%s", f->dir, name) < 0)
		return err_set(e, ENOMEM, "out of memory");
	ret = outfile_write(path, text, strlen(text), e);
	free(path);
	return ret;
}

static int make_dirs(const struct fetch *f, struct err *e)
{
	static const char *const names[] = {"lists/partial", "archives/partial", "none"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path;
		int ret;

		if (asprintf(&path, "%s/%s", f->dir, names[i]) < 0)
			return err_set(e, ENOMEM, "out of memory");
		ret = cache_dir_make(path)
			      ? err_set(e, errno, "can't make '%.180s': %s", path, strerror(errno))
			      : 0;
		free(path);
		if (ret)
			return ret;
	}
	return write_file(f, "status", "", e);
}

/* The machine's own way to the network (proxies), and none of its other settings and hooks. */
static int write_config(const struct fetch *f, struct err *e)
{
	char *argv[] = {"apt-config", "dump", "Acquire", NULL};
	char *acquire, *text;
	size_t size;
	int ret = spawn_output(argv, &acquire, &size, e);

	if (ret == -ENOENT)
		return err_set(e, ENOENT,
			       "fetch needs apt, and there is none here; give "
			       "--l1-kernel and --l1-modules instead");
	if (ret)
		return ret;
	if (asprintf(&text,
		     "%s"
		     "Acquire::Languages \"none\";\n"
		     "Acquire::Retries \"1\";\n"
		     "Dir::State::lists \"%s/lists\";\n"
		     "Dir::State::status \"%s/status\";\n"
		     "Dir::Cache \"%s\";\n"
		     "Dir::Etc::main \"%s/none/none\";\n"
		     "Dir::Etc::parts \"%s/none\";\n"
		     "Dir::Etc::preferences \"%s/none/none\";\n"
		     "Dir::Etc::preferencesparts \"%s/none\";\n"
		     "Dir::Etc::sourcelist \"%s/lab.sources\";\n"
		     "Dir::Etc::sourceparts \"%s/none\";\n"
		     "APT::Sandbox::User \"root\";\n",
		     acquire, f->dir, f->dir, f->dir, f->dir, f->dir, f->dir, f->dir, f->dir,
		     f->dir) < 0)
		ret = err_set(e, ENOMEM, "out of memory");
	free(acquire);
	if (ret == 0) {
		ret = write_file(f, "apt.conf", text, e);
		free(text);
	}
	return ret;
}

static int write_sources(const struct fetch *f, const struct apt_mirror *m, const char *suite,
			 struct err *e)
{
	char *text;
	int ret;

	if (asprintf(&text,
		     "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nArchitectures: "
		     "amd64\n%s%s\n",
		     m->uri, suite, m->signed_by ? "Signed-By: " : "",
		     m->signed_by ? m->signed_by : "") < 0)
		return err_set(e, ENOMEM, "out of memory");
	ret = write_file(f, "lab.sources", text, e);
	free(text);
	return ret;
}

static int apt(char *const *argv, char **out, struct err *e)
{
	size_t size;

	return spawn_output(argv, out, &size, e);
}

/* Is there a kernel of that version among what META depends on? */
static bool find_package(struct fetch *f, const char *depends)
{
	char wanted[PACKAGE_MAX];
	const char *at;

	snprintf(wanted, sizeof(wanted), "linux-image-%s.", f->version);
	at = strstr(depends, wanted);
	if (!at)
		return false;
	snprintf(f->package, sizeof(f->package), "%.*s", (int)strcspn(at, " \n,"), at);
	return true;
}

/* Returns 0 if the suite of that mirror has the kernel; else -errno with e set. */
static int look(struct fetch *f, const struct apt_mirror *m, const char *suite, struct err *e)
{
	char *update[] = {"apt-get", "-q", "update", "--error-on=any", NULL};
	char *depends[] = {"apt-cache", "depends", META, NULL};
	char *out;
	struct err why;
	int ret = write_sources(f, m, suite, e);

	if (ret)
		return ret;
	ret = apt(update, &out, &why);
	if (ret)
		return err_set(e, -ret, "no lists from its mirror: %.200s", why.text);
	free(out);
	ret = apt(depends, &out, e);
	if (ret)
		return ret;
	if (!find_package(f, out))
		ret = err_set(e, ENOENT, "%s has no kernel %s any more", suite, f->version);
	free(out);
	return ret;
}

static int find_kernel(struct fetch *f, struct err *e)
{
	int ret = err_set(e, ENOENT,
			  "this machine's apt sources name no mirror of Debian; give --l1-kernel "
			  "and --l1-modules instead");

	for (size_t s = 0; s < SUITES && ret; s++) {
		if (strcmp(suites[s].version, f->version))
			continue;
		for (size_t i = 0; i < f->mirrors.count && ret; i++)
			ret = look(f, &f->mirrors.mirror[i], suites[s].suite, e);
	}
	return ret;
}

/* apt-get downloads into the working directory, and under a name that is its own affair. */
static int download(struct fetch *f, struct err *e)
{
	char *argv[] = {"apt-get", "-q", "download", f->package, NULL};
	char *find[] = {"find", ".", "-maxdepth", "1", "-name", NULL, NULL};
	char *clean[] = {"find", ".", "-maxdepth", "1", "-name", "*.deb", "-delete", NULL};
	char *out = NULL, *pattern = NULL;
	int ret;

	if (chdir(f->dir))
		return err_set(e, errno, "can't enter '%.180s': %s", f->dir, strerror(errno));
	ret = apt(clean, &out, e);
	free(out);
	if (ret == 0)
		ret = apt(argv, &out, e);
	if (ret)
		return ret;
	free(out);
	if (asprintf(&pattern, "%s_*.deb", f->package) < 0)
		return err_set(e, ENOMEM, "out of memory");
	find[5] = pattern;
	ret = apt(find, &out, e);
	free(pattern);
	if (ret)
		return ret;
	out[strcspn(out, "\n")] = '\0';
	ret = *out ? store_add(&f->cache, f->version, out, e)
		   : err_set(e, ENOENT, "apt-get left no %s", f->package);
	free(out);
	return ret;
}

static int fetch(struct fetch *f, struct err *e)
{
	char *config;
	int ret = cache_open(&f->cache, e);

	if (ret == 0)
		ret = cache_lock(&f->cache, e);
	if (ret)
		return ret;
	f->dir = cache_path(&f->cache, "apt");
	if (!f->dir || asprintf(&config, "%s/apt.conf", f->dir) < 0)
		return err_set(e, ENOMEM, "out of memory");
	ret = apt_mirrors_read(&f->mirrors, "/etc/apt", e);
	if (ret == 0)
		ret = make_dirs(f, e);
	if (ret == 0)
		ret = write_config(f, e);
	setenv("APT_CONFIG", config, 1);
	setenv("LC_ALL", "C", 1);
	free(config);
	if (ret == 0)
		ret = find_kernel(f, e);
	return ret ? ret : download(f, e);
}

static bool is_known(const char *version)
{
	for (size_t i = 0; i < SUITES; i++)
		if (strcmp(suites[i].version, version) == 0)
			return true;
	return false;
}

/* Is it in the cache, and whole? */
static bool is_there(const char *version)
{
	char *kernel = NULL, *modules = NULL;
	struct cache cache;
	bool there;

	if (cache_open(&cache, NULL))
		return false;
	there = store_find(&cache, version, &kernel, &modules, NULL) == 0;
	free(kernel);
	free(modules);
	cache_close(&cache);
	return there;
}

int cmd_lab_fetch(int argc, char **argv)
{
	struct fetch f = {.version = "6.1", .cache = {.lock_fd = -1}};
	bool if_missing = argc > 1 && strcmp(argv[1], "--if-missing") == 0;
	int status = VPUP_EXIT_OK, at = if_missing ? 2 : 1;
	struct err e;

	if (argc > at)
		f.version = argv[at++];
	if (argc > at || !is_known(f.version))
		return cli_fail(CMD, "'%s' is not 6.1 or 6.12", argv[argc - 1]);
	if (if_missing && is_there(f.version))
		return status;
	if (fetch(&f, &e)) {
		cli_fail(CMD, "no kernel %s: %s", f.version, e.text);
		status = VPUP_EXIT_HOST;
	} else {
		printf("lab:%s is %s\n", f.version, f.package);
	}
	apt_mirrors_fini(&f.mirrors);
	cache_close(&f.cache);
	free(f.dir);
	return status;
}
