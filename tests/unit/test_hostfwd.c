/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/hostfwd.c: the rules of QEMU's users. */
#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/hostfwd.h"

static struct hostfwd rule[HOSTFWD_MAX];
static struct err e;

START_TEST(short_rule)
{
	ck_assert_int_eq(hostfwd_parse(rule, "hostfwd=tcp::8080-:80", &e), 1);
	ck_assert(!rule[0].is_udp);
	ck_assert_uint_eq(rule[0].host_addr.s_addr, 0);
	ck_assert_uint_eq(rule[0].guest_addr.s_addr, 0);
	ck_assert_uint_eq(rule[0].host_port, 8080);
	ck_assert_uint_eq(rule[0].guest_port, 80);
}
END_TEST

START_TEST(long_rules)
{
	ck_assert_int_eq(hostfwd_parse(rule,
				       "hostfwd=udp:127.0.0.1:1-10.0.2.7:65535,"
				       "hostfwd=::2222-:22",
				       &e),
			 2);
	ck_assert(rule[0].is_udp);
	ck_assert_uint_eq(ntohl(rule[0].host_addr.s_addr), 0x7f000001);
	ck_assert_uint_eq(ntohl(rule[0].guest_addr.s_addr), 0x0a000207);
	ck_assert_uint_eq(rule[0].guest_port, 65535);
	ck_assert(!rule[1].is_udp);
	ck_assert_uint_eq(rule[1].host_port, 2222);
}
END_TEST

START_TEST(nothing_is_fine)
{
	ck_assert_int_eq(hostfwd_parse(rule, "", &e), 0);
}
END_TEST

START_TEST(rubbish_is_named)
{
	static const char *const bad[] = {
		"hostfwd=",
		"hostfwd=tcp",
		"hostfwd=tcp::80",
		"hostfwd=tcp::80-:",
		"hostfwd=tcp::0-:80",
		"hostfwd=tcp::80-:65536",
		"hostfwd=tcp::-1-:80",
		"hostfwd=sctp::80-:80",
		"hostfwd=tcp:localhost:80-:80",
		"hostfwd=tcp:1.2.3:80-:80",
		"hostfwd=tcp::80-fe80::1:80",
		"guestfwd=tcp::80-:80",
	};

	ck_assert_int_eq(hostfwd_parse(rule, bad[_i], &e), -EINVAL);
	ck_assert_msg(strstr(e.text, bad[_i]) != NULL, "%s", e.text);
}
END_TEST

START_TEST(too_many)
{
	char text[32 * (HOSTFWD_MAX + 1)] = "";

	for (unsigned i = 0; i < HOSTFWD_MAX; i++)
		strcat(text, "hostfwd=tcp::8080-:80,");
	ck_assert_int_eq(hostfwd_parse(rule, text, &e), HOSTFWD_MAX);
	strcat(text, "hostfwd=tcp::8080-:80");
	ck_assert_int_eq(hostfwd_parse(rule, text, &e), -EINVAL);
}
END_TEST

Suite *hostfwd_suite(void)
{
	Suite *s = suite_create("hostfwd");
	TCase *t = tcase_create("hostfwd");

	tcase_add_test(t, short_rule);
	tcase_add_test(t, long_rules);
	tcase_add_test(t, nothing_is_fine);
	tcase_add_loop_test(t, rubbish_is_named, 0, 12);
	tcase_add_test(t, too_many);
	suite_add_tcase(s, t);
	return s;
}
