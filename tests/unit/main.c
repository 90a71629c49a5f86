/* SPDX-License-Identifier: MIT */
/* Runs every suite, or the one that CK_RUN_SUITE names. Exit status 1 when a test failed. */
#include <stddef.h>
#include <stdlib.h>

#include "tests/unit/suites.h"

int main(void)
{
#define SUITE_ROW(name) name##_suite,
	Suite *(*const suites[])(void) = {SUITES_X(SUITE_ROW)};
#undef SUITE_ROW
	SRunner *runner = srunner_create(NULL);
	int failed;

	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		srunner_add_suite(runner, suites[i]());
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
