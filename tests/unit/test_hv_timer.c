/* SPDX-License-Identifier: MIT */
/* Unit tests of the Hyper-V partition's timers: order, changes of mind, many VPs, many threads. */
#include <check.h>
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/suites.h"
#include "vmm/hv_timer.h"

#define MS      1000000ull
#define HOUR    (3600000 * MS)
#define LOG_MAX 4096

/* Which timers went off, in this order. */
struct log {
	struct hv_timers *timers;
	size_t count;
	uint32_t vp[LOG_MAX];
	unsigned slot[LOG_MAX];
	unsigned again; /* how often a timer arms itself once more */
};

static void take(void *ctx, uint32_t vp, unsigned slot)
{
	struct log *l = ctx;

	ck_assert_uint_lt(l->count, LOG_MAX);
	l->vp[l->count] = vp;
	l->slot[l->count++] = slot;
	if (l->again) {
		l->again--;
		ck_assert_int_eq(hv_timers_arm(l->timers, vp, slot, 0), 0);
	}
}

/* Serves what is due until `count` went off, or for a while to see that nothing does. */
static void serve(struct hv_timers *t, struct log *l, size_t count, int for_ms)
{
	struct pollfd p = {.fd = t->epoll_fd, .events = POLLIN};

	l->timers = t;
	while (l->count < count && poll(&p, 1, for_ms) > 0)
		hv_timers_serve(t, take, l);
}

static void init(struct hv_timers *t, uint32_t vps)
{
	struct err e;

	ck_assert_msg(hv_timers_init(t, vps, &e) == 0, "%s", e.text);
}

static void arm(struct hv_timers *t, uint32_t vp, unsigned slot, uint64_t delay_ns)
{
	ck_assert_int_eq(hv_timers_arm(t, vp, slot, delay_ns), 0);
}

/* All in one shard: VPs 0, 64 and 128 share it. */
START_TEST(test_order)
{
	struct log l = {.count = 0};
	struct hv_timers t;

	init(&t, 129);
	arm(&t, 64, 3, 200 * MS);
	arm(&t, 0, 0, 10 * MS);
	arm(&t, 128, 4, 100 * MS);
	arm(&t, 128, 1, HOUR);
	arm(&t, 0, 2, UINT64_MAX);
	serve(&t, &l, 3, 1000);
	ck_assert_uint_eq(l.count, 3);
	ck_assert_uint_eq(l.vp[0], 0);
	ck_assert_uint_eq(l.slot[0], 0);
	ck_assert_uint_eq(l.vp[1], 128);
	ck_assert_uint_eq(l.slot[1], 4);
	ck_assert_uint_eq(l.vp[2], 64);
	ck_assert_uint_eq(l.slot[2], 3);
	hv_timers_fini(&t);
}
END_TEST

START_TEST(test_changes_of_mind)
{
	struct log l = {.count = 0};
	struct hv_timers t;

	init(&t, 1);
	arm(&t, 0, 0, HOUR);
	arm(&t, 0, 0, 0); /* sooner */
	arm(&t, 0, 1, 0);
	arm(&t, 0, 1, HOUR); /* later */
	arm(&t, 0, 2, 0);
	hv_timers_disarm(&t, 0, 2);
	hv_timers_disarm(&t, 0, 2); /* twice does no harm, nor what was never armed */
	hv_timers_disarm(&t, 0, 3);
	serve(&t, &l, 2, 50);
	ck_assert_uint_eq(l.count, 1);
	ck_assert_uint_eq(l.slot[0], 0);
	arm(&t, 0, 2, 0);
	serve(&t, &l, 2, 1000);
	ck_assert_uint_eq(l.count, 2);
	ck_assert_uint_eq(l.slot[1], 2);
	hv_timers_fini(&t);
}
END_TEST

START_TEST(test_arms_itself_anew)
{
	struct log l = {.again = 5};
	struct hv_timers t;

	init(&t, 1);
	arm(&t, 0, 0, 0);
	serve(&t, &l, 6, 1000);
	ck_assert_uint_eq(l.count, 6);
	serve(&t, &l, 7, 20);
	ck_assert_uint_eq(l.count, 6);
	hv_timers_fini(&t);
}
END_TEST

static unsigned open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Random due times, some put off, some taken back: the rest go off once each, a shard's in order. */
START_TEST(test_many)
{
	enum { VPS = 700 };
	static uint64_t due[VPS], last[HV_TIMER_SHARDS_MAX];
	static bool went_off[VPS];
	unsigned before = open_files(), wanted = 0;
	struct log l = {.count = 0};
	struct hv_timers t;

	init(&t, VPS);
	srand(7);
	for (uint32_t vp = 0; vp < VPS; vp++)
		arm(&t, vp, 0, (uint64_t)(rand() % 40) * MS);
	ck_assert_uint_le(open_files() - before, HV_TIMER_SHARDS_MAX + 1);
	for (uint32_t vp = 0; vp < VPS; vp++) {
		if (vp % 3 == 0)
			hv_timers_disarm(&t, vp, 0);
		else if (vp % 3 == 1)
			arm(&t, vp, 0, (uint64_t)(rand() % 40) * MS);
		wanted += vp % 3 != 0;
		due[vp] = t.timer[vp * HV_TIMER_PER_VP].due_ns;
	}
	serve(&t, &l, wanted, 1000);
	ck_assert_uint_eq(l.count, wanted);
	for (size_t i = 0; i < l.count; i++) {
		uint64_t *shard = &last[l.vp[i] % HV_TIMER_SHARDS_MAX];

		ck_assert(!went_off[l.vp[i]] && l.vp[i] % 3 != 0);
		went_off[l.vp[i]] = true;
		ck_assert_uint_ge(due[l.vp[i]], *shard);
		*shard = due[l.vp[i]];
	}
	hv_timers_fini(&t);
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

static void *arm_often(void *arg)
{
	struct hv_timers *t = arg;
	static _Atomic uint32_t next;
	uint32_t vp = next++ % 4 * HV_TIMER_SHARDS_MAX; /* four threads, one shard */

	for (unsigned i = 0; i < 2000; i++) {
		hv_timers_arm(t, vp, i % 4, i % 3 ? 0 : HOUR);
		if (i % 5 == 0)
			hv_timers_disarm(t, vp, (i + 1) % 4);
	}
	for (unsigned slot = 0; slot < 4; slot++)
		hv_timers_disarm(t, vp, slot);
	hv_timers_arm(t, vp, HV_TIMER_RETRY, 0);
	return NULL;
}

static void count_retries(void *ctx, uint32_t vp, unsigned slot)
{
	size_t *retries = ctx;

	(void)vp;
	*retries += slot == HV_TIMER_RETRY;
}

/* Whatever goes off on the way: what is armed last goes off, once. */
START_TEST(test_threads)
{
	struct pollfd p = {.events = POLLIN};
	pthread_t thread[4];
	struct hv_timers t;
	size_t retries = 0;

	init(&t, 4 * HV_TIMER_SHARDS_MAX);
	p.fd = t.epoll_fd;
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, arm_often, &t), 0);
	while (retries < 4 && poll(&p, 1, 5000) > 0)
		hv_timers_serve(&t, count_retries, &retries);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(retries, 4);
	ck_assert_uint_eq(t.shard[0].count, 0);
	hv_timers_fini(&t);
}
END_TEST

Suite *hv_timer_suite(void)
{
	Suite *s = suite_create("hv_timer");
	TCase *c = tcase_create("hv_timer");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, test_order);
	tcase_add_test(c, test_changes_of_mind);
	tcase_add_test(c, test_arms_itself_anew);
	tcase_add_test(c, test_many);
	tcase_add_test(c, test_threads);
	suite_add_tcase(s, c);
	return s;
}
