/* SPDX-License-Identifier: MIT */
/* Unit tests of the topology: completion, refusals, places and APIC IDs. */
#include <check.h>
#include <errno.h>
#include <stdint.h>

#include "tests/unit/suites.h"
#include "tests/unit/suites.h"
#include "tests/unit/vm_fixture.h"

static const struct {
	struct topology_config asked;
	uint32_t sockets, cores, threads, nodes;
} completed[] = {
	{{.vps = 1}, 1, 1, 1, 1},
	{{.vps = 16}, 1, 16, 1, 1},
	{{.vps = 16, .nodes = 4}, 4, 4, 1, 4},
	{{.vps = 16, .nodes = 16}, 16, 1, 1, 16},
	{{.vps = 16, .sockets = 2}, 2, 8, 1, 1},
	{{.vps = 16, .sockets = 2, .nodes = 4}, 2, 8, 1, 4},
	{{.vps = 16, .cores = 4}, 4, 4, 1, 1},
	{{.vps = 16, .cores = 4, .nodes = 2}, 4, 4, 1, 2},
	{{.vps = 16, .threads = 2}, 1, 8, 2, 1},
	{{.vps = 16, .threads = 2, .nodes = 2}, 2, 4, 2, 2},
	{{.vps = 16, .sockets = 2, .threads = 2}, 2, 4, 2, 1},
	{{.vps = 16, .cores = 4, .threads = 2}, 2, 4, 2, 1},
	{{.vps = 16, .sockets = 2, .cores = 4}, 2, 4, 2, 1},
	{{.vps = 16, .sockets = 2, .cores = 4, .threads = 2, .nodes = 2}, 2, 4, 2, 2},
	{{.vps = 4096}, 1, 4096, 1, 1},
	{{.vps = 4096, .nodes = 1024}, 1024, 4, 1, 1024},
	{{.vps = 4096, .threads = 4096}, 1, 1, 4096, 1},
};

START_TEST(completes_what_is_not_given)
{
	struct topology t = topology_of(completed[_i].asked);

	ck_assert_uint_eq(t.vps, completed[_i].asked.vps);
	ck_assert_uint_eq(t.sockets, completed[_i].sockets);
	ck_assert_uint_eq(t.cores, completed[_i].cores);
	ck_assert_uint_eq(t.threads, completed[_i].threads);
	ck_assert_uint_eq(t.nodes, completed[_i].nodes);
	topology_fini(&t);
	ck_assert_ptr_null(t.vp);
	topology_fini(&t);
}
END_TEST

static const struct {
	struct topology_config asked;
	const char *text;
} refused[] = {
	{{.vps = 0}, "0 VPs: a machine has at least 1"},
	{{.vps = 4097}, "4097 VPs: at most 4096"},
	{{.vps = UINT32_MAX}, "4294967295 VPs: at most 4096"},
	{{.vps = 4096, .nodes = 2048}, "2048 nodes: at most 1024"},
	{{.vps = 16, .sockets = 3},
	 "16 VPs do not divide into 3 sockets of 5 cores of 1 thread (15)"},
	{{.vps = 1, .sockets = 1, .cores = 1, .threads = 2}, "1 VP can't fill 2 threads"},
	{{.vps = 2, .sockets = 2, .threads = 2},
	 "2 VPs do not divide into 2 sockets of 1 core of 2 threads (4)"},
	{{.vps = 8, .sockets = 2, .cores = 8},
	 "8 VPs do not divide into 2 sockets of 8 cores of 1 thread (16)"},
	{{.vps = 16, .sockets = 17}, "16 VPs can't fill 17 sockets"},
	{{.vps = 4096, .sockets = 4096, .cores = 4096, .threads = 4096},
	 "4096 VPs do not divide into 4096 sockets of 4096 cores of 4096 threads (68719476736)"},
	{{.vps = 1, .sockets = 0x10001, .cores = 0x10000, .threads = 0xffff0001},
	 "1 VP can't fill 65537 sockets"},
	{{.vps = 16, .threads = UINT32_MAX}, "16 VPs can't fill 4294967295 threads"},
	{{.vps = 16, .nodes = 3}, "16 VPs do not divide into 3 nodes"},
	{{.vps = 2, .nodes = 4}, "2 VPs can't fill 4 nodes"},
	{{.vps = 24, .sockets = 4, .nodes = 6},
	 "6 nodes and 4 sockets: one number must divide the other"},
	{{.vps = 24, .sockets = 6, .nodes = 4},
	 "4 nodes and 6 sockets: one number must divide the other"},
	{{.vps = 12, .sockets = 2, .cores = 3, .threads = 2, .nodes = 4},
	 "3 cores per socket do not divide into 2 nodes"},
	{{.vps = 4, .sockets = 1, .cores = 1, .nodes = 4},
	 "1 core per socket do not divide into 4 nodes"},
};

START_TEST(names_the_numbers_that_do_not_fit)
{
	struct topology t;
	struct err e = {""};

	ck_assert_int_eq(topology_init(&t, &refused[_i].asked, &e), -EINVAL);
	ck_assert_str_eq(e.text, refused[_i].text);
	ck_assert_ptr_null(t.vp);
	ck_assert_int_eq(topology_init(&t, &refused[_i].asked, NULL), -EINVAL);
}
END_TEST

START_TEST(places_threads_first)
{
	struct topology t = topology_of(
		(struct topology_config){.vps = 16, .sockets = 2, .cores = 4, .nodes = 2});
	const struct vp_place *p = &t.vp[13];

	ck_assert_uint_eq(t.thread_bits, 1);
	ck_assert_uint_eq(t.core_bits, 2);
	ck_assert_uint_eq(t.max_apic_id, 15);
	ck_assert_uint_eq(p->socket, 1);
	ck_assert_uint_eq(p->core, 2);
	ck_assert_uint_eq(p->thread, 1);
	ck_assert_uint_eq(p->node, 1);
	for (uint32_t i = 0; i < t.vps; i++)
		ck_assert_uint_eq(t.vp[i].apic_id, i);
	topology_fini(&t);
}
END_TEST

START_TEST(odd_counts_leave_holes_in_the_ids)
{
	struct topology t = topology_of(
		(struct topology_config){.vps = 18, .sockets = 2, .cores = 3, .threads = 3});

	ck_assert_uint_eq(t.thread_bits, 2);
	ck_assert_uint_eq(t.core_bits, 2);
	ck_assert_uint_eq(t.vp[2].apic_id, 2);
	ck_assert_uint_eq(t.vp[3].apic_id, 4);
	ck_assert_uint_eq(t.vp[8].apic_id, 10);
	ck_assert_uint_eq(t.vp[9].apic_id, 16);
	ck_assert_uint_eq(t.max_apic_id, 26);
	topology_fini(&t);
}
END_TEST

START_TEST(nodes_divide_a_socket_by_cores)
{
	struct topology t = topology_of((struct topology_config){
		.vps = 24, .sockets = 2, .cores = 6, .threads = 2, .nodes = 4});

	for (uint32_t i = 0; i < t.vps; i++) {
		ck_assert_uint_eq(t.vp[i].node, i / 6);
		ck_assert_uint_eq(t.vp[i].node, t.vp[i].socket * 2 + t.vp[i].core / 3);
	}
	ck_assert_uint_eq(topology_nodes_per_socket(&t), 2);
	topology_fini(&t);
}
END_TEST

START_TEST(nodes_join_whole_sockets)
{
	struct topology t =
		topology_of((struct topology_config){.vps = 16, .sockets = 8, .nodes = 2});

	for (uint32_t i = 0; i < t.vps; i++)
		ck_assert_uint_eq(t.vp[i].node, t.vp[i].socket / 4);
	ck_assert_uint_eq(topology_nodes_per_socket(&t), 1);
	topology_fini(&t);
}
END_TEST

/* What acpi.c and Linux's MAX_LOCAL_APIC rely on, at the largest counts there are. */
START_TEST(ids_ascend_and_stay_small)
{
	static const struct topology_config shapes[] = {
		{.vps = 4096},
		{.vps = 4095, .sockets = 455, .cores = 3, .threads = 3},
		{.vps = 4092, .sockets = 4, .cores = 1023},
		{.vps = 4095, .sockets = 63, .cores = 13, .threads = 5},
		{.vps = 4096, .sockets = 4096},
	};
	struct topology t = topology_of(shapes[_i]);

	for (uint32_t i = 0; i < t.vps; i++) {
		ck_assert_uint_ge(t.vp[i].apic_id, i);
		if (i)
			ck_assert_uint_gt(t.vp[i].apic_id, t.vp[i - 1].apic_id);
	}
	ck_assert_uint_eq(t.max_apic_id, t.vp[t.vps - 1].apic_id);
	ck_assert_uint_lt(t.max_apic_id, 32768);
	topology_fini(&t);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

Suite *topology_suite(void)
{
	Suite *s = suite_create("topology");
	TCase *t = tcase_create("topology");

	tcase_add_loop_test(t, completes_what_is_not_given, 0, COUNT(completed));
	tcase_add_loop_test(t, names_the_numbers_that_do_not_fit, 0, COUNT(refused));
	tcase_add_test(t, places_threads_first);
	tcase_add_test(t, odd_counts_leave_holes_in_the_ids);
	tcase_add_test(t, nodes_divide_a_socket_by_cores);
	tcase_add_test(t, nodes_join_whole_sockets);
	tcase_add_loop_test(t, ids_ascend_and_stay_small, 0, 5);
	suite_add_tcase(s, t);
	return s;
}
