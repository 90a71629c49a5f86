/* SPDX-License-Identifier: MIT */
/* Unit tests of measurement matrices: lists, cells, and the command lines of cells. */
#include <check.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/matrix.h"

static void set(struct matrix *m, const char *key, const char *list)
{
	struct err e = {""};

	ck_assert_msg(matrix_set(m, key, list, &e) == 0, "%s", e.text);
}

static void check_cell(const struct matrix *m, size_t index, const char *expected)
{
	char text[CELL_TEXT_SIZE];
	struct cell cell;

	matrix_cell(m, index, &cell);
	ck_assert_str_eq(matrix_cell_text(m, &cell, false, text), expected);
}

START_TEST(test_cells)
{
	struct matrix m = {0};

	set(&m, "cpus", "1,4");
	set(&m, "lpj", "calibrate,preset");
	ck_assert_uint_eq(matrix_cells(&m), 4);
	check_cell(&m, 0, "cpus=1 lpj=calibrate");
	check_cell(&m, 1, "cpus=1 lpj=preset");
	check_cell(&m, 2, "cpus=4 lpj=calibrate");
	check_cell(&m, 3, "cpus=4 lpj=preset");
	set(&m, "hz", "100,1000");
	ck_assert_uint_eq(matrix_cells(&m), 8);
	check_cell(&m, 3, "cpus=1 lpj=preset hz=1000");
	set(&m, "cpus", "2"); /* replaces */
	ck_assert_uint_eq(matrix_cells(&m), 4);
	check_cell(&m, 0, "cpus=2 lpj=calibrate hz=100");
	matrix_fini(&m);
}
END_TEST

START_TEST(test_varied_text)
{
	char text[CELL_TEXT_SIZE];
	struct matrix m = {0};
	struct cell cell;

	set(&m, "cpus", "1,4");
	set(&m, "smp", "serial");
	set(&m, "lpj", "fine,preset");
	matrix_cell(&m, 3, &cell);
	ck_assert_str_eq(matrix_cell_text(&m, &cell, true, text), "cpus=4 lpj=preset");
	matrix_fini(&m);
}
END_TEST

START_TEST(test_ranges)
{
	struct matrix m = {0};

	set(&m, "cpus", "1,3-5,016,65535");
	ck_assert_uint_eq(matrix_cells(&m), 6);
	check_cell(&m, 1, "cpus=3");
	check_cell(&m, 3, "cpus=5");
	check_cell(&m, 4, "cpus=16");
	check_cell(&m, 5, "cpus=65535");
	set(&m, "cpus", "7-7");
	ck_assert_uint_eq(matrix_cells(&m), 1);
	matrix_fini(&m);
}
END_TEST

static const struct {
	const char *key;
	const char *list;
	const char *says;
} refused[] = {
	{"cpus", "", "cpus: '' is no number or range from 1 to 65535"},
	{"cpus", "0", "'0'"},
	{"cpus", "-1", "'-1'"},
	{"cpus", "1,", "''"},
	{"cpus", ",1", "''"},
	{"cpus", "1,,2", "''"},
	{"cpus", "4-2", "'4-2'"},
	{"cpus", "1-", "'1-'"},
	{"cpus", "1-2-3", "'1-2-3'"},
	{"cpus", "65536", "'65536'"},
	{"cpus", "1-65536", "'1-65536'"},
	{"cpus", "99999999999999999999", "'99999999999999999999'"},
	{"cpus", "two", "'two'"},
	{"cpus", "1 2", "'1 2'"},
	{"sockets", "0", "sockets: '0' is no number or range from 1 to 65535"},
	{"kernel", "", "kernel: there is an empty value"},
	{"kernel", "a,,b", "kernel: there is an empty value"},
	{"kernel", "\"a", "kernel: a value in double quotes ends with one, before a comma"},
	{"kernel", "\"a\"b", "kernel: a value in double quotes"},
	{"kernel", "\"\"", "kernel: there is an empty value"},
	{"cpus", "1-20000", "more than 10000 values"},
	{"lpj", "presett", "lpj: 'presett' is not one of calibrate, fine, known, preset"},
	{"lpj", "", "''"},
	{"hz", "101", "hz: '101' is not one of 100, 250, 300, 1000"},
	{"hyperv", "qemu", "hyperv: 'qemu' is not one of user, kernel, off"},
	{"cpu", "1", "can't vary 'cpu'; did you mean 'cpus'?"},
	{"weather", "1",
	 "can't vary 'weather'; possible are cpus, sockets, cores, threads, nodes, smp, lpj, "
	 "synic, "},
	{"", "1", "possible are"},
};

START_TEST(test_refused)
{
	struct matrix m = {0};
	struct err e = {""};

	set(&m, "cpus", "2");
	ck_assert_int_eq(matrix_set(&m, refused[_i].key, refused[_i].list, &e), -EINVAL);
	ck_assert_msg(strstr(e.text, refused[_i].says) != NULL, "'%s' lacks '%s'", e.text,
		      refused[_i].says);
	check_cell(&m, 0, "cpus=2"); /* the matrix is as it was */
	ck_assert_uint_eq(m.dimensions, 1);
	matrix_fini(&m);
}
END_TEST

START_TEST(test_too_many_to_count)
{
	struct matrix m = {0};
	struct err e;

	set(&m, "cpus", "1-10000");
	set(&m, "nodes", "1-10000");
	ck_assert_uint_eq(matrix_cells(&m), 100000000);
	m.dimension[0].values = SIZE_MAX / 2; /* as if */
	ck_assert_uint_eq(matrix_cells(&m), SIZE_MAX);
	m.dimension[0].values = 10000;
	ck_assert_int_eq(matrix_set(&m, "x", "", &e), -EINVAL);
	matrix_fini(&m);
}
END_TEST

START_TEST(test_params)
{
	struct matrix m = {0};
	struct cell cell;
	json_t *params, *expected;

	set(&m, "cpus", "16");
	set(&m, "hz", "250");
	set(&m, "invtsc", "off");
	set(&m, "lpj", "preset");
	matrix_cell(&m, 0, &cell);
	params = matrix_cell_params(&m, &cell);
	expected = json_pack("{s:i, s:i, s:s, s:s}", "cpus", 16, "hz", 250, "lpj", "preset",
			     "invtsc", "off");
	ck_assert(json_equal(params, expected));
	json_decref(expected);
	json_decref(params);
	matrix_fini(&m);
}
END_TEST

START_TEST(test_command)
{
	static const char *const expected[] = {"vpup",      "run",
					       "--cpus",    "16",
					       "--hyperv",  "off",
					       "--append",  "lpj=preset smp=serial",
					       "--console", "none",
					       "--json",    "-",
					       "--timeout", "2.5"};
	struct cell_command command;
	struct matrix m = {0};
	struct cell cell;
	size_t n = sizeof(expected) / sizeof(expected[0]);

	set(&m, "cpus", "16");
	set(&m, "lpj", "fine,preset");
	set(&m, "smp", "serial");
	set(&m, "hyperv", "off");
	matrix_cell(&m, 1, &cell);
	matrix_cell_command(&m, &cell, 2.5, &command);
	for (size_t i = 0; i < n; i++)
		ck_assert_str_eq(command.argv[i], expected[i]);
	ck_assert_ptr_null(command.argv[n]);
	set(&m, "hyperv", "kernel");
	matrix_cell(&m, 1, &cell);
	matrix_cell_command(&m, &cell, 2.5, &command);
	ck_assert_str_eq(command.append, "lpj=preset smp=serial vmcall=ok");
	set(&m, "measure", "exits");
	matrix_cell(&m, 1, &cell);
	matrix_cell_command(&m, &cell, 2.5, &command);
	ck_assert_str_eq(command.argv[6], "--hv-testdev");
	matrix_fini(&m);
}
END_TEST

START_TEST(test_quotes_and_blanks)
{
	struct matrix m = {0};

	set(&m, "cpus", " 1 ,\t2-3 ");
	set(&m, "hv", "default, \"+ipi,-stimer\" ,\"none\"");
	ck_assert_uint_eq(matrix_cells(&m), 9);
	check_cell(&m, 1, "cpus=1 hv=+ipi,-stimer");
	check_cell(&m, 8, "cpus=3 hv=none");
	matrix_fini(&m);
}
END_TEST

START_TEST(test_too_long)
{
	char list[DIMENSION_VALUE_SIZE_MAX + 1];
	struct matrix m = {0};
	struct err e;

	memset(list, 'x', sizeof(list));
	list[DIMENSION_VALUE_SIZE_MAX] = '\0';
	ck_assert_int_eq(matrix_set(&m, "append", list, &e), -EINVAL);
	ck_assert_ptr_nonnull(strstr(e.text, "is longer than 255 characters"));
	list[DIMENSION_VALUE_SIZE_MAX - 1] = '\0';
	set(&m, "append", list);
	matrix_fini(&m);
}
END_TEST

/* Dimensions that go together count as one, where the first of them stands. */
START_TEST(test_zip)
{
	struct matrix m = {0};
	struct err e;

	set(&m, "cpus", "4,96");
	set(&m, "smp", "serial,full");
	set(&m, "sockets", "1,2");
	set(&m, "threads", "2");
	ck_assert_int_eq(matrix_zip(&m, " cpus sockets  threads", &e), 0);
	ck_assert_int_eq(matrix_check(&m, &e), 0);
	ck_assert_uint_eq(matrix_cells(&m), 4);
	check_cell(&m, 0, "cpus=4 smp=serial sockets=1 threads=2");
	check_cell(&m, 1, "cpus=4 smp=full sockets=1 threads=2");
	check_cell(&m, 3, "cpus=96 smp=full sockets=2 threads=2");
	ck_assert_int_eq(matrix_zip(&m, "smp cpus", &e), -EINVAL);
	ck_assert_str_eq(e.text, "'cpus' goes together with others already");
	ck_assert_int_eq(matrix_zip(&m, "hz", &e), -EINVAL);
	ck_assert_str_eq(e.text, "'hz' is no dimension here");
	set(&m, "cpus", "4,8,96"); /* the group stays */
	ck_assert_int_eq(matrix_check(&m, &e), -EINVAL);
	ck_assert_str_eq(e.text, "sockets and cpus go together, but one has 2 values, the other 3");
	set(&m, "sockets", "2");
	ck_assert_int_eq(matrix_check(&m, &e), 0);
	ck_assert_uint_eq(matrix_cells(&m), 6);
	check_cell(&m, 5, "cpus=96 smp=full sockets=2 threads=2");
	matrix_fini(&m);
}
END_TEST

START_TEST(test_twice)
{
	struct matrix m = {0};
	struct err e;

	set(&m, "cpus", "2,1-3");
	set(&m, "nodes", "1,2,2,1");
	ck_assert_int_eq(matrix_check(&m, &e), -EINVAL);
	ck_assert_str_eq(e.text, "cpus: '2' is given twice");
	ck_assert_int_eq(matrix_zip(&m, "cpus nodes", &e), 0);
	ck_assert_int_eq(matrix_check(&m, &e), 0); /* 2/1 is not 2/2 */
	set(&m, "nodes", "1,2,1,1");
	ck_assert_int_eq(matrix_check(&m, &e), -EINVAL);
	ck_assert_str_eq(e.text,
			 "cpus and what goes together with it: values 1 and 3 are the same");
	matrix_fini(&m);
}
END_TEST

START_TEST(test_topology_needs_cpus)
{
	struct matrix m = {0};
	struct err e;

	set(&m, "threads", "2");
	ck_assert_int_eq(matrix_check(&m, &e), -EINVAL);
	ck_assert_str_eq(e.text, "'threads' needs 'cpus'");
	matrix_fini(&m);
}
END_TEST

/* What is as it would be anyway is left away; topology goes into one option. */
START_TEST(test_command_of_all_kinds)
{
	static const char *const expected[] = {
		"vpup",      "run",  "--cpus",   "8,sockets=2,threads=2",
		"--memory",  "512M", "--noise",  "steal:seed=7,vps=1",
		"--noise",   "burn", "--append", "a=b quiet lpj=fine",
		"--console", "none", "--json",   "-",
		"--timeout", "1",
	};
	struct cell_command command;
	struct matrix m = {0};
	struct cell cell;

	set(&m, "sockets", "2");
	set(&m, "cpus", "8");
	set(&m, "kernel", "bundled");
	set(&m, "hv", "default");
	set(&m, "append", "a=b quiet");
	set(&m, "threads", "2");
	set(&m, "memory", "512M");
	set(&m, "lpj", "fine");
	set(&m, "impl", "./other");
	set(&m, "noise", "\"steal:seed=7,vps=1  burn\"");
	set(&m, "pin", "none");
	matrix_cell(&m, 0, &cell);
	matrix_cell_command(&m, &cell, 1, &command);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		ck_assert_str_eq(command.argv[i], expected[i]);
	matrix_fini(&m);
}
END_TEST

/* What is measured from outside: its own options come first, then those of the VM. */
START_TEST(test_peer_command)
{
	static const char *const expected[] = {
		"vpup", "peer",      "--impl", "qemu",        "--until",  "init",     "--json",
		"-",    "--timeout", "9",      "--",          "--kernel", "k",        "--exec",
		"true", "--cpus",    "4",      "--share-cwd", "off",      "--append", "",
	};
	struct cell_command command;
	struct matrix m = {0};
	struct cell cell;
	size_t n = sizeof(expected) / sizeof(expected[0]);

	set(&m, "kernel", "k");
	set(&m, "exec", "true");
	set(&m, "cpus", "4");
	set(&m, "until", "init");
	set(&m, "impl", "qemu,vpup");
	matrix_cell(&m, 0, &cell);
	matrix_cell_command(&m, &cell, 9, &command);
	for (size_t i = 0; i < n; i++)
		ck_assert_str_eq(command.argv[i], expected[i]);
	ck_assert_ptr_null(command.argv[n]);
	matrix_cell(&m, 1, &cell);
	matrix_cell_command(&m, &cell, 9, &command);
	ck_assert_str_eq(command.argv[2], "--until");
	matrix_fini(&m);
}
END_TEST

START_TEST(test_qemu_needs_a_mark)
{
	struct matrix m = {0};
	struct err e;

	set(&m, "impl", "vpup,qemu");
	ck_assert_int_eq(matrix_check(&m, &e), -EINVAL);
	ck_assert_ptr_nonnull(strstr(e.text, "'until'"));
	set(&m, "until", "online");
	ck_assert_int_eq(matrix_check(&m, &e), 0);
	matrix_fini(&m);
}
END_TEST

Suite *matrix_suite(void)
{
	Suite *s = suite_create("matrix");
	TCase *c = tcase_create("matrix");
	TCase *slow = tcase_create("limits");

	tcase_set_timeout(c, 30);
	tcase_add_test(c, test_cells);
	tcase_add_test(c, test_varied_text);
	tcase_add_test(c, test_ranges);
	tcase_add_test(c, test_params);
	tcase_add_test(c, test_command);
	tcase_add_test(c, test_peer_command);
	tcase_add_test(c, test_qemu_needs_a_mark);
	tcase_add_test(c, test_quotes_and_blanks);
	tcase_add_test(c, test_too_long);
	tcase_add_test(c, test_zip);
	tcase_add_test(c, test_twice);
	tcase_add_test(c, test_topology_needs_cpus);
	tcase_add_test(c, test_command_of_all_kinds);
	suite_add_tcase(s, c);
	tcase_set_timeout(slow, 30);
	tcase_set_tags(slow, "slow");
	tcase_add_loop_test(slow, test_refused, 0, (int)(sizeof(refused) / sizeof(refused[0])));
	tcase_add_test(slow, test_too_many_to_count);
	suite_add_tcase(s, slow);
	return s;
}
