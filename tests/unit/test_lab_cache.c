/* SPDX-License-Identifier: MIT */
/* Unit tests of the cache: what is damaged is not there, and what is old goes. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/cache.h"
#include "tests/unit/suites.h"

static char base[64];
static struct cache cache;

static void setup(void)
{
	struct err e;

	strcpy(base, "/tmp/vpup-cache-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(base));
	setenv("XDG_CACHE_HOME", base, 1);
	ck_assert_int_eq(cache_open(&cache, &e), 0);
}

/* The name, in the cache, of the n-th entry whose name begins like that. Returns how many there are. */
static unsigned entries(const char *prefix, char path[PATH_MAX])
{
	DIR *d = opendir(cache.dir);
	struct dirent *n;
	unsigned count = 0;

	while ((n = readdir(d))) {
		if (strncmp(n->d_name, prefix, strlen(prefix)))
			continue;
		snprintf(path, PATH_MAX, "%s/%s", cache.dir, n->d_name);
		count++;
	}
	closedir(d);
	return count;
}

static void teardown(void)
{
	char path[PATH_MAX];

	while (entries("image-", path) || entries("other-", path) || entries("lock", path))
		ck_assert_int_eq(unlink(path), 0);
	rmdir(cache.dir);
	rmdir(base);
	cache_close(&cache);
}

static void put(const char *kind, uint64_t key, const char *text)
{
	struct err e;

	ck_assert_int_eq(cache_put(&cache, kind, (struct digest){key, 0}, text, strlen(text), &e),
			 0);
}

static void expect(const char *kind, uint64_t key, const char *text)
{
	uint8_t *data;
	size_t size;
	int ret = cache_get(&cache, kind, (struct digest){key, 0}, &data, &size);

	ck_assert_int_eq(ret, text ? 0 : -ENOENT);
	if (!text)
		return;
	ck_assert_uint_eq(size, strlen(text));
	ck_assert_mem_eq(data, text, size);
	free(data);
}

START_TEST(test_put_and_get)
{
	expect("image", 1, NULL);
	put("image", 1, "one");
	put("image", 2, "");
	expect("image", 1, "one");
	expect("image", 2, "");
	expect("image", 3, NULL);
	expect("other", 1, NULL);
}
END_TEST

static void damage(int how)
{
	char path[PATH_MAX];

	ck_assert_uint_eq(entries("image-", path), 1);
	if (how == 0) {
		ck_assert_int_eq(truncate(path, 2), 0);
	} else {
		int fd = open(path, O_WRONLY | (how == 1 ? 0 : O_APPEND));

		ck_assert_int_eq(write(fd, "X", 1), 1);
		close(fd);
	}
}

/* Cut short, changed, grown. */
START_TEST(test_damage)
{
	char path[PATH_MAX];

	put("image", 1, "whole");
	damage(_i);
	expect("image", 1, NULL);
	ck_assert_uint_eq(entries("image-", path), 0);
	put("image", 1, "whole");
	expect("image", 1, "whole");
}
END_TEST

START_TEST(test_oldest_go)
{
	char path[PATH_MAX];

	put("other", 1, "stays");
	for (uint64_t key = 1; key <= 8; key++) {
		put("image", key, "x");
		expect("image", 1, "x"); /* used: young again */
		usleep(20000);
	}
	ck_assert_uint_eq(entries("image-", path), 4);
	expect("image", 1, "x");
	expect("image", 8, "x");
	expect("image", 2, NULL);
	expect("other", 1, "stays");
}
END_TEST

START_TEST(test_lock)
{
	struct cache second;
	struct err e;

	ck_assert_int_eq(cache_lock(&cache, &e), 0);
	ck_assert_int_eq(cache_open(&second, &e), 0);
	cache_unlock(&cache);
	ck_assert_int_eq(cache_lock(&second, &e), 0);
	cache_close(&second);
	ck_assert_int_eq(cache_lock(&cache, &e), 0);
}
END_TEST

Suite *lab_cache_suite(void)
{
	Suite *s = suite_create("lab_cache");
	TCase *t = tcase_create("cache");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_put_and_get);
	tcase_add_loop_test(t, test_damage, 0, 3);
	tcase_add_test(t, test_oldest_go);
	tcase_add_test(t, test_lock);
	suite_add_tcase(s, t);
	return s;
}
