/* SPDX-License-Identifier: MIT */
/* Unit tests of --noise: what it parses to, and that a seed gives one schedule and no other. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/noise.h"

static const struct steal_spec usual = {.duty_ppm = 300000,
					.period_ns = 10000000,
					.jitter_ppm = 1000000,
					.seed = 7};

/* Worked out apart from this code, from the generator's description in docs/noise.md. */
static const struct {
	uint32_t vp;
	uint64_t index;
	struct steal_spec spec;
	struct steal_interval want;
} known[] = {
	{1, 0, {300000, 10000000, 1000000, 7, {0}, 0}, {13970049, 1184625}},
	{1, 3, {300000, 10000000, 1000000, 7, {0}, 0}, {39807334, 242769}},
	{15, 99, {300000, 10000000, 500000, 7, {0}, 0}, {1001029933, 3960158}},
	{0, 5, {950000, 100000, 1000000, 1, {0}, 0}, {562833, 91809}},
	{0, 5, {1000, 10000000000, 0, 1, {0}, 0}, {55654642583, 10000000}},
};

START_TEST(schedule_follows_from_the_seed)
{
	struct steal_interval got = steal_interval(&known[_i].spec, known[_i].vp, known[_i].index);

	ck_assert_uint_eq(got.begin_ns, known[_i].want.begin_ns);
	ck_assert_uint_eq(got.length_ns, known[_i].want.length_ns);
}
END_TEST

START_TEST(random_numbers_are_known)
{
	ck_assert_uint_eq(steal_random(0, 0, 0, 0), 0x2130748aaac80268);
	ck_assert_uint_eq(steal_random(1, 0, 0, 0), 0xe28195ddd9ee4956);
	ck_assert_uint_eq(steal_random(7, 15, 123456789, 2), 0xe123928a82a416c1);
}
END_TEST

static const struct steal_spec shapes[] = {
	{300000, 10000000, 1000000, 7, {0}, 0}, {300000, 10000000, 0, 7, {0}, 0},
	{950000, 100000, 1000000, 3, {0}, 0},   {1000, 10000000000, 1000000, 0, {0}, 0},
	{500000, 4000000, 250000, 9, {0}, 0},
};

START_TEST(intervals_follow_each_other_and_keep_the_duty)
{
	const struct steal_spec *s = &shapes[_i];
	const uint64_t count = 10000;
	double mean = (double)s->period_ns * (double)s->duty_ppm / 1e6, sum = 0;

	for (uint32_t vp = 0; vp < 3; vp++) {
		uint64_t end = 0;

		sum = 0;
		for (uint64_t i = 0; i < count; i++) {
			struct steal_interval iv = steal_interval(s, vp, i);

			ck_assert_uint_ge(iv.begin_ns, end);
			ck_assert_uint_ge(iv.begin_ns, i * (uint64_t)s->period_ns);
			ck_assert_uint_lt(iv.begin_ns, (i + 2) * (uint64_t)s->period_ns);
			end = iv.begin_ns + iv.length_ns;
			sum += (double)iv.length_ns;
		}
		ck_assert_double_ge(sum / (double)count, mean * 0.97);
		ck_assert_double_le(sum / (double)count, mean * 1.03);
	}
}
END_TEST

START_TEST(without_jitter_it_is_regular)
{
	struct steal_spec s = usual;
	struct steal_interval first, later;

	s.jitter_ppm = 0;
	first = steal_interval(&s, 4, 0);
	later = steal_interval(&s, 4, 1000);
	ck_assert_uint_eq(later.begin_ns - first.begin_ns, 10000000000);
	ck_assert_uint_eq(first.length_ns, 3000000);
	ck_assert_uint_eq(later.length_ns, 3000000);
}
END_TEST

START_TEST(seeds_and_vps_differ)
{
	struct steal_spec other = usual;
	unsigned same_seed = 0, same_vp = 0;

	other.seed = 8;
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t begin = steal_interval(&usual, 1, i).begin_ns;

		same_seed += begin == steal_interval(&other, 1, i).begin_ns;
		same_vp += begin == steal_interval(&usual, 2, i).begin_ns;
	}
	ck_assert_uint_le(same_seed, 1);
	ck_assert_uint_le(same_vp, 1);
}
END_TEST

START_TEST(parses_specifications)
{
	struct noise_spec s;
	struct err e = {""};

	ck_assert_int_eq(noise_spec_parse(&s,
					  "steal:duty=10%,period=4ms,jitter=50%,vps=1-3,7,seed=9",
					  16, &e),
			 0);
	ck_assert_int_eq(s.kind, NOISE_STEAL);
	ck_assert_int_eq(s.steal.duty_ppm, 100000);
	ck_assert_int_eq(s.steal.period_ns, 4000000);
	ck_assert_int_eq(s.steal.jitter_ppm, 500000);
	ck_assert_uint_eq(s.steal.seed, 9);
	ck_assert_uint_eq(s.steal.vps.count, 4);
	noise_spec_fini(&s);
	ck_assert_int_eq(noise_spec_parse(&s, "steal", 1, &e), 0);
	ck_assert_int_eq(s.steal.duty_ppm, 300000);
	ck_assert_int_eq(s.steal.period_ns, 10000000);
	ck_assert_uint_eq(s.steal.vps.count, 0);
	ck_assert_int_eq(noise_spec_parse(&s, "vm:count=2,cpus=3", 1, &e), 0);
	ck_assert_int_eq(s.kind, NOISE_VM);
	ck_assert_uint_eq(s.vm.count, 2);
	ck_assert_uint_eq(s.vm.cpus, 3);
	ck_assert_int_eq(noise_spec_parse(&s, "burn:threads=2", 1, &e), 0);
	ck_assert_int_eq(s.kind, NOISE_BURN);
	ck_assert_uint_eq(s.burn.threads, 2);
}
END_TEST

static const struct {
	const char *text;
	const char *says;
} refused[] = {
	{"", "'' is not steal, burn or vm"},
	{"steel:duty=1%", "is not steal, burn or vm"},
	{"steal:", "--noise steal: unknown key ''"},
	{"steal:duty=0%", "--noise steal: duty=0%"},
	{"steal:duty=95.1%", "from 1000ppm to 95%"},
	{"steal:period=99us", "from 100us to 10s"},
	{"steal:period=11s", "from 100us to 10s"},
	{"steal:jitter=101%", "from 0 to 100%"},
	{"steal:vps=16", "there is no VP 16: 0 to 15"},
	{"steal:threads=2", "unknown key 'threads'"},
	{"burn:threads=0", "from 1 to 1024"},
	{"burn:threads=1025", "from 1 to 1024"},
	{"burn:cpus=65535", "this process has no CPU 65535: it may run on"},
	{"vm:count=65", "from 1 to 64"},
	{"vm:cpus=0", "from 1 to 64"},
};

START_TEST(refuses_what_is_out_of_range)
{
	struct noise_spec s;
	struct err e = {""};

	ck_assert_int_eq(noise_spec_parse(&s, refused[_i].text, 16, &e), -EINVAL);
	ck_assert_msg(strstr(e.text, refused[_i].says), "%s", e.text);
	noise_spec_fini(&s);
}
END_TEST

START_TEST(neighbours_come_once)
{
	struct vm_config cfg = {.noise = {"burn", "steal", "burn"}, .noise_count = 3};
	struct noise n;
	struct err e = {""};

	ck_assert_int_eq(noise_init(&n, &cfg, 2, &e), -EINVAL);
	ck_assert_str_eq(e.text, "--noise burn is given twice");
	noise_fini(&n);
	cfg.noise[0] = "steal:vps=1";
	ck_assert_int_eq(noise_init(&n, &cfg, 2, &e), 0);
	ck_assert_uint_eq(n.stealer.turns, 3);
	ck_assert(!noise_wants_list(&n));
	noise_fini(&n);
}
END_TEST

Suite *noise_suite(void)
{
	Suite *s = suite_create("noise");
	TCase *c = tcase_create("noise");
	TCase *slow = tcase_create("long schedules");

	tcase_set_tags(slow, "slow");
	tcase_add_loop_test(slow, intervals_follow_each_other_and_keep_the_duty, 0,
			    sizeof(shapes) / sizeof(shapes[0]));
	suite_add_tcase(s, c);
	suite_add_tcase(s, slow);
	tcase_add_loop_test(c, schedule_follows_from_the_seed, 0, sizeof(known) / sizeof(known[0]));
	tcase_add_test(c, random_numbers_are_known);
	tcase_add_test(c, without_jitter_it_is_regular);
	tcase_add_test(c, seeds_and_vps_differ);
	tcase_add_test(c, parses_specifications);
	tcase_add_loop_test(c, refuses_what_is_out_of_range, 0,
			    sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(c, neighbours_come_once);
	return s;
}
