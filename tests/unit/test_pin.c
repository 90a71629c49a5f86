/* SPDX-License-Identifier: MIT */
/* Unit tests of --pin. They use no CPU number but those that this process may run on. */
#include <check.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/pin.h"

static uint32_t first_cpu(void)
{
	struct id_list l = {0};
	struct err e;
	uint32_t cpu;

	ck_assert_int_eq(host_cpus_allowed(&l, &e), 0);
	ck_assert_uint_ge(l.count, 1);
	cpu = l.id[0];
	id_list_fini(&l);
	return cpu;
}

START_TEST(gives_cpus_in_turn)
{
	uint32_t cpu = first_cpu();
	struct pin p;
	struct err e = {""};
	char text[32];

	snprintf(text, sizeof(text), "%u,%u", cpu, cpu);
	ck_assert_msg(pin_init(&p, text, 3, &e) == 0, "%s", e.text);
	for (uint32_t vp = 0; vp < 3; vp++)
		ck_assert_uint_eq(p.cpu[vp], cpu);
	pin_fini(&p);
}
END_TEST

START_TEST(takes_pairs)
{
	uint32_t cpu = first_cpu();
	pthread_attr_t attr;
	cpu_set_t set;
	struct pin p;
	struct err e = {""};
	char text[32];

	snprintf(text, sizeof(text), "2=%u", cpu);
	ck_assert_msg(pin_init(&p, text, 3, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(p.cpu[0], PIN_NONE);
	ck_assert_uint_eq(p.cpu[2], cpu);
	pthread_attr_init(&attr);
	ck_assert_int_eq(pin_bind(&p, 2, &attr), 0);
	ck_assert_int_eq(pthread_attr_getaffinity_np(&attr, sizeof(set), &set), 0);
	ck_assert_int_eq(CPU_COUNT(&set), 1);
	ck_assert(CPU_ISSET(cpu, &set));
	pthread_attr_destroy(&attr);
	pin_fini(&p);
}
END_TEST

START_TEST(nothing_is_pinned_without_it)
{
	pthread_attr_t attr;
	struct pin p;
	struct err e;

	ck_assert_int_eq(pin_init(&p, NULL, 3, &e), 0);
	pthread_attr_init(&attr);
	ck_assert_int_eq(pin_bind(&p, 0, &attr), 0);
	pthread_attr_destroy(&attr);
	pin_fini(&p);
}
END_TEST

static const struct {
	const char *text;
	const char *says;
} refused[] = {
	{"", "--pin: '' is not a number"},
	{"x", "--pin: 'x' is not a number"},
	{"65535", "--pin: this process has no CPU 65535: it may run on"},
	{"65536", "up to 65535"},
	{"=0", "'' is not a VP: 0 to 2"},
	{"3=0", "'3' is not a VP: 0 to 2"},
	{"0=", "'' is not the number of a CPU"},
	{"0=x", "'x' is not the number of a CPU"},
	{"0=1=2", "'1=2' is not the number of a CPU"},
	{"0=65535", "this process has no CPU 65535"},
	{"0=1,2", "'2' is not VP=CPU"},
	{"0=1,0=1", "VP 0 is named twice"},
};

START_TEST(refuses_what_is_wrong)
{
	struct pin p;
	struct err e = {""};

	ck_assert_int_eq(pin_init(&p, refused[_i].text, 3, &e), -EINVAL);
	ck_assert_msg(strstr(e.text, refused[_i].says), "%s", e.text);
	pin_fini(&p);
}
END_TEST

Suite *pin_suite(void)
{
	Suite *s = suite_create("pin");
	TCase *c = tcase_create("pin");

	suite_add_tcase(s, c);
	tcase_add_test(c, gives_cpus_in_turn);
	tcase_add_test(c, takes_pairs);
	tcase_add_test(c, nothing_is_pinned_without_it);
	tcase_add_loop_test(c, refuses_what_is_wrong, 0, sizeof(refused) / sizeof(refused[0]));
	return s;
}
