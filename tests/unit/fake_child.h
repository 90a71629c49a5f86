/* SPDX-License-Identifier: MIT */
/* Shell scripts that stand in for `vpup run`, for the tests of what starts it. */
#ifndef VPUP_TESTS_UNIT_FAKE_CHILD_H
#define VPUP_TESTS_UNIT_FAKE_CHILD_H

struct fake_child {
	char dir[64];
	char exe[96];
};

/* Makes a directory with the script `body` in it, which finds the directory in $DIR. */
void fake_child_init(struct fake_child *f, const char *body);

/* Whether the script has made a file of this name in its directory. */
int fake_child_made(const struct fake_child *f, const char *name);

void fake_child_fini(struct fake_child *f);

#endif
