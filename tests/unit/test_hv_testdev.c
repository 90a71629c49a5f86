/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/hv_testdev.c. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "devices/hv_testdev.h"

#define VPS 2

static struct hv_testdev dev;
static struct {
	unsigned connects, disconnects, raises;
	enum hv_testdev_kind kind;
	uint8_t id;
	struct hv_testdev_target target;
	bool was_there; /* the target, while a callback ran */
	int connect_result;
} seen;

static int on_connect(void *ctx, enum hv_testdev_kind kind, uint8_t id)
{
	struct hv_testdev_target t;

	ck_assert_ptr_eq(ctx, &seen);
	seen.connects++;
	seen.kind = kind;
	seen.id = id;
	seen.was_there = hv_testdev_target(&dev, kind, id, &t);
	return seen.connect_result;
}

static void on_disconnect(void *ctx, enum hv_testdev_kind kind, uint8_t id)
{
	struct hv_testdev_target t;

	ck_assert_ptr_eq(ctx, &seen);
	seen.disconnects++;
	seen.kind = kind;
	seen.id = id;
	seen.was_there = hv_testdev_target(&dev, kind, id, &t);
}

static void on_raise(void *ctx, struct hv_testdev_target t)
{
	ck_assert_ptr_eq(ctx, &seen);
	seen.raises++;
	seen.target = t;
}

static void setup(void)
{
	const struct hv_testdev_env env = {
		.vps = VPS,
		.connect = on_connect,
		.disconnect = on_disconnect,
		.raise = on_raise,
		.ctx = &seen,
	};

	memset(&seen, 0, sizeof(seen));
	hv_testdev_init(&dev, &env);
}

static void command(unsigned cmd, unsigned vp, unsigned sint, unsigned id)
{
	hv_testdev_write(&dev, id << 24 | cmd << 16 | vp << 8 | sint);
}

static void expect_target(enum hv_testdev_kind kind, uint8_t id, uint8_t vp, uint8_t sint)
{
	struct hv_testdev_target t;

	ck_assert(hv_testdev_target(&dev, kind, id, &t));
	ck_assert_uint_eq(t.vp, vp);
	ck_assert_uint_eq(t.sint, sint);
}

static void expect_no_target(enum hv_testdev_kind kind, uint8_t id)
{
	struct hv_testdev_target t;

	ck_assert(!hv_testdev_target(&dev, kind, id, &t));
}

START_TEST(a_route_can_be_raised_while_it_exists)
{
	command(HV_TESTDEV_ROUTE_RAISE, 1, 15, 0);
	ck_assert_uint_eq(seen.raises, 0);
	command(HV_TESTDEV_ROUTE_CREATE, 1, 15, 0);
	command(HV_TESTDEV_ROUTE_RAISE, 1, 15, 0);
	ck_assert_uint_eq(seen.raises, 1);
	ck_assert_uint_eq(seen.target.vp, 1);
	ck_assert_uint_eq(seen.target.sint, 15);
	command(HV_TESTDEV_ROUTE_RAISE, 0, 15, 0);
	command(HV_TESTDEV_ROUTE_RAISE, 1, 14, 0);
	ck_assert_uint_eq(seen.raises, 1);
	command(HV_TESTDEV_ROUTE_DESTROY, 1, 15, 0);
	command(HV_TESTDEV_ROUTE_RAISE, 1, 15, 0);
	ck_assert_uint_eq(seen.raises, 1);
	ck_assert_uint_eq(dev.rejected, 4);
}
END_TEST

START_TEST(routes_are_for_vps_and_sints_that_exist)
{
	command(HV_TESTDEV_ROUTE_CREATE, VPS, 0, 0);
	command(HV_TESTDEV_ROUTE_RAISE, VPS, 0, 0);
	command(HV_TESTDEV_ROUTE_CREATE, 0, HV_TESTDEV_SINTS, 0);
	command(HV_TESTDEV_ROUTE_RAISE, 0, HV_TESTDEV_SINTS, 0);
	command(HV_TESTDEV_ROUTE_RAISE, 0, 0, 0);
	command(HV_TESTDEV_ROUTE_CREATE, 255, 255, 0);
	command(HV_TESTDEV_ROUTE_RAISE, 255, 255, 0);
	ck_assert_uint_eq(seen.raises, 0);
	ck_assert_uint_eq(dev.rejected, 7);
}
END_TEST

START_TEST(connections_have_their_target_before_and_after)
{
	command(HV_TESTDEV_MESSAGE_CREATE, 1, 8, 0x11);
	ck_assert_uint_eq(seen.connects, 1);
	ck_assert_uint_eq(seen.kind, HV_TESTDEV_MESSAGE);
	ck_assert_uint_eq(seen.id, 0x11);
	ck_assert(seen.was_there);
	expect_target(HV_TESTDEV_MESSAGE, 0x11, 1, 8);
	expect_no_target(HV_TESTDEV_EVENT, 0x11);
	expect_no_target(HV_TESTDEV_MESSAGE, 0x10);

	seen.was_there = false;
	command(HV_TESTDEV_MESSAGE_DESTROY, 0, 0, 0x11);
	ck_assert_uint_eq(seen.disconnects, 1);
	ck_assert_uint_eq(seen.id, 0x11);
	ck_assert(seen.was_there);
	expect_no_target(HV_TESTDEV_MESSAGE, 0x11);
	ck_assert_uint_eq(dev.rejected, 0);
}
END_TEST

START_TEST(one_id_may_have_a_connection_of_each_kind)
{
	command(HV_TESTDEV_MESSAGE_CREATE, 0, 8, 255);
	command(HV_TESTDEV_EVENT_CREATE, 1, 9, 255);
	expect_target(HV_TESTDEV_MESSAGE, 255, 0, 8);
	expect_target(HV_TESTDEV_EVENT, 255, 1, 9);
	command(HV_TESTDEV_EVENT_DESTROY, 0, 0, 255);
	ck_assert_uint_eq(seen.kind, HV_TESTDEV_EVENT);
	expect_target(HV_TESTDEV_MESSAGE, 255, 0, 8);
	expect_no_target(HV_TESTDEV_EVENT, 255);
}
END_TEST

START_TEST(a_port_of_all_flags_is_a_kind_of_its_own)
{
	command(HV_TESTDEV_FLAGS_CREATE, 1, 9, 7);
	ck_assert_uint_eq(seen.kind, HV_TESTDEV_FLAGS);
	expect_target(HV_TESTDEV_FLAGS, 7, 1, 9);
	expect_no_target(HV_TESTDEV_EVENT, 7);
	command(HV_TESTDEV_FLAGS_DESTROY, 0, 0, 7);
	expect_no_target(HV_TESTDEV_FLAGS, 7);
	ck_assert_uint_eq(dev.rejected, 0);
}
END_TEST

START_TEST(vp_0_and_sint_0_are_a_target_like_any)
{
	command(HV_TESTDEV_EVENT_CREATE, 0, 0, 0);
	expect_target(HV_TESTDEV_EVENT, 0, 0, 0);
}
END_TEST

START_TEST(senseless_connections_have_no_effect)
{
	command(HV_TESTDEV_MESSAGE_CREATE, VPS, 0, 1);
	command(HV_TESTDEV_EVENT_CREATE, 0, HV_TESTDEV_SINTS, 1);
	command(HV_TESTDEV_MESSAGE_DESTROY, 0, 0, 1);
	command(HV_TESTDEV_EVENT_DESTROY, 0, 0, 1);
	ck_assert_uint_eq(seen.connects + seen.disconnects, 0);
	command(HV_TESTDEV_MESSAGE_CREATE, 0, 3, 1);
	command(HV_TESTDEV_MESSAGE_CREATE, 1, 4, 1);
	ck_assert_uint_eq(seen.connects, 1);
	expect_target(HV_TESTDEV_MESSAGE, 1, 0, 3);
	ck_assert_uint_eq(dev.rejected, 5);
}
END_TEST

START_TEST(a_connection_that_fails_is_none)
{
	seen.connect_result = -ENOSPC;
	command(HV_TESTDEV_EVENT_CREATE, 0, 3, 1);
	expect_no_target(HV_TESTDEV_EVENT, 1);
	ck_assert_uint_eq(dev.rejected, 1);
	seen.connect_result = 0;
	command(HV_TESTDEV_EVENT_CREATE, 0, 3, 1);
	expect_target(HV_TESTDEV_EVENT, 1, 0, 3);
}
END_TEST

START_TEST(unknown_commands_are_counted)
{
	for (unsigned cmd = 0; cmd < 256; cmd++)
		if (cmd < HV_TESTDEV_ROUTE_CREATE || cmd > HV_TESTDEV_FLAGS_DESTROY)
			command(cmd, 0, 0, 0);
	ck_assert_uint_eq(dev.rejected, 256 - 9);
	ck_assert_uint_eq(seen.connects + seen.disconnects + seen.raises, 0);
}
END_TEST

Suite *hv_testdev_suite(void)
{
	Suite *s = suite_create("hv_testdev");
	TCase *tc = tcase_create("hv_testdev");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_route_can_be_raised_while_it_exists);
	tcase_add_test(tc, routes_are_for_vps_and_sints_that_exist);
	tcase_add_test(tc, connections_have_their_target_before_and_after);
	tcase_add_test(tc, one_id_may_have_a_connection_of_each_kind);
	tcase_add_test(tc, a_port_of_all_flags_is_a_kind_of_its_own);
	tcase_add_test(tc, vp_0_and_sint_0_are_a_target_like_any);
	tcase_add_test(tc, senseless_connections_have_no_effect);
	tcase_add_test(tc, a_connection_that_fails_is_none);
	tcase_add_test(tc, unknown_commands_are_counted);
	suite_add_tcase(s, tc);
	return s;
}
