/* SPDX-License-Identifier: MIT */
/* `vpup report`: result files as a page, a trace or rows. */
#ifndef VPUP_BENCH_CMD_REPORT_H
#define VPUP_BENCH_CMD_REPORT_H

int cmd_report(int argc, char **argv);

#endif
