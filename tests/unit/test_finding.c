/* SPDX-License-Identifier: MIT */
/* Unit tests of findings and verdicts. */
#include <check.h>
#include <string.h>

#include "guest-kernel/abi/exit.h"
#include "tests/unit/suites.h"
#include "vmm/finding.h"

START_TEST(numbers_are_apart)
{
	static const uint32_t id[] = {
#define FINDING_NUMBER(id, number, name, unit, fatal) number,
		FINDINGS_X(FINDING_NUMBER)
#undef FINDING_NUMBER
	};

	for (size_t i = 0; i < sizeof(id) / sizeof(id[0]); i++) {
		ck_assert_uint_ge(id[i], 32);
		ck_assert_uint_lt(id[i], 48);
		ck_assert_uint_eq(finding_kind(id[i])->id, id[i]);
		for (size_t k = 0; k < i; k++)
			ck_assert_uint_ne(id[i], id[k]);
	}
	ck_assert_ptr_null(finding_kind(0));
	ck_assert_ptr_null(finding_kind(UINT32_MAX));
}
END_TEST

static const struct {
	struct trace_finding finding;
	const char *text;
} texts[] = {
	{{FINDING_TSC_WARP, 2, -100234, 3120}, "tsc-warp VP 2 -100234 ns"},
	{{FINDING_VP_MISSING, 3, 7, 0}, "vp-missing VP 3"},
	{{99, UINT32_MAX, INT64_MIN, UINT64_MAX}, "finding 99 VP 4294967295"},
	{{FINDING_VP_LATE, UINT32_MAX, INT64_MIN, 0},
	 "vp-late VP 4294967295 -9223372036854775808 us"},
};

START_TEST(says_what_was_found)
{
	char text[FINDING_TEXT_SIZE];

	finding_text(&texts[_i].finding, text);
	ck_assert_str_eq(text, texts[_i].text);
}
END_TEST

static const struct {
	struct outcome outcome;
	size_t findings;
	const char *verdict;
} verdicts[] = {
	{{.kind = OUTCOME_EXIT, .code = GUEST_EXIT_OK}, 0, "ok"},
	{{.kind = OUTCOME_EXIT, .code = GUEST_EXIT_OK}, 1, "noticed"},
	{{.kind = OUTCOME_EXIT, .code = GUEST_EXIT_FAIL}, 0, "failed"},
	{{.kind = OUTCOME_EXIT, .code = GUEST_EXIT_FAIL}, 1, "failed"},
	{{.kind = OUTCOME_EXIT, .code = 77}, 0, "failed"},
	{{.kind = OUTCOME_EXIT, .code = GUEST_EXIT_PANIC}, 0, "crash"},
	{{.kind = OUTCOME_CRASH}, 0, "crash"},
	{{.kind = OUTCOME_TIMEOUT}, 0, "timeout"},
	{{.kind = OUTCOME_RESET}, 0, "reset"},
	{{.kind = OUTCOME_OFF}, 0, "off"},
	{{.kind = OUTCOME_SIGNAL}, 0, "ended"},
};

START_TEST(gives_a_verdict)
{
	const struct guest_trace t = {.finding_count = verdicts[_i].findings};

	ck_assert_str_eq(finding_verdict(&verdicts[_i].outcome, &t), verdicts[_i].verdict);
}
END_TEST

START_TEST(a_long_line_is_cut)
{
	struct trace_finding f[3] = {{FINDING_VP_MISSING, 1, 0, 0},
				     {FINDING_VP_MISSING, 2, 0, 0},
				     {FINDING_VP_MISSING, 3, 0, 0}};
	const struct guest_trace t = {.finding = f, .finding_count = 3};
	char line[100], small[30];

	finding_verdict_line("failed", &t, line, sizeof(line));
	ck_assert_str_eq(line,
			 "verdict: failed: vp-missing VP 1; vp-missing VP 2; vp-missing VP 3");
	finding_verdict_line("failed", &t, small, sizeof(small));
	ck_assert_uint_eq(strlen(small), sizeof(small) - 1);
	ck_assert(strncmp(small, line, strlen(small)) == 0);
}
END_TEST

Suite *finding_suite(void)
{
	Suite *s = suite_create("finding");
	TCase *c = tcase_create("finding");

	suite_add_tcase(s, c);
	tcase_add_test(c, numbers_are_apart);
	tcase_add_loop_test(c, says_what_was_found, 0, sizeof(texts) / sizeof(texts[0]));
	tcase_add_loop_test(c, gives_a_verdict, 0, sizeof(verdicts) / sizeof(verdicts[0]));
	tcase_add_test(c, a_long_line_is_cut);
	return s;
}
