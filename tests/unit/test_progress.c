/* SPDX-License-Identifier: MIT */
/* Unit tests of the progress line: its forecast, and its silence. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/progress.h"

START_TEST(test_forecast)
{
	struct progress p;

	ck_assert_int_eq(progress_init(&p, NULL, 0, 3, 2), 0);
	ck_assert_double_lt(progress_left_s(&p, p.start_s), 0); /* no idea */
	p.cell_s[0] = 10;
	p.done = 1;
	p.cell_start_s = 100;
	/* Cells 1 and 2 are guessed as 10 each; then round two: 10, 10, 10. */
	ck_assert_double_eq_tol(progress_left_s(&p, 100), 50, 1e-9);
	ck_assert_double_eq_tol(progress_left_s(&p, 104), 46, 1e-9);
	p.cell_s[1] = 1;
	p.cell_s[2] = 4;
	p.done = 4; /* two runs are left: cells 1 and 2 */
	ck_assert_double_eq_tol(progress_left_s(&p, 100), 5, 1e-9);
	ck_assert_double_eq(progress_left_s(&p, 1000), 0); /* late, but not negative */
	progress_fini(&p);
}
END_TEST

START_TEST(test_line)
{
	struct progress p;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(progress_init(&p, f, 80, 1, 2), 0);
	progress_begin(&p, 0, "cpus=2 lpj=fine");
	ck_assert_ptr_nonnull(strstr(text, "\r[1/2] cpus=2 lpj=fine: 0:00\033[K"));
	progress_end(&p);
	progress_begin(&p, 0, "cpus=2 lpj=fine");
	ck_assert_ptr_nonnull(strstr(text, "\r[2/2] cpus=2 lpj=fine: 0:00, 0:00 left\033[K"));
	progress_fini(&p);
	fclose(f);
	ck_assert_str_eq(text + strlen(text) - 4, "\r\033[K"); /* gone from the terminal */
	free(text);
}
END_TEST

/* Never wider than the terminal: the label gives way, and long times have hours. */
START_TEST(test_narrow)
{
	struct progress p;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(progress_init(&p, f, 30, 1, 2), 0);
	p.start_s -= 3700;
	progress_begin(&p, 0, "cpus=2 lpj=fine and much more");
	ck_assert_str_eq(text, "\r[1/2] cpus=2 lpj=fin: 1:01:40\033[K");
	p.width = 10;
	progress_show(&p);
	ck_assert_ptr_nonnull(strstr(text, "\r[1/2] : 1:01:40\033[K"));
	progress_fini(&p);
	fclose(f);
	free(text);
}
END_TEST

Suite *progress_suite(void)
{
	Suite *s = suite_create("progress");
	TCase *c = tcase_create("progress");

	tcase_add_test(c, test_forecast);
	tcase_add_test(c, test_line);
	tcase_add_test(c, test_narrow);
	suite_add_tcase(s, c);
	return s;
}
