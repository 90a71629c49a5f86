/* SPDX-License-Identifier: MIT */
/* `vpup compare`: judges a result against an earlier one. */
#ifndef VPUP_BENCH_CMD_COMPARE_H
#define VPUP_BENCH_CMD_COMPARE_H

int cmd_compare(int argc, char **argv);

#endif
