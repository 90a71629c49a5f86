/* SPDX-License-Identifier: MIT */
/* `vpup bench`: runs a measurement matrix. */
#ifndef VPUP_BENCH_CMD_BENCH_H
#define VPUP_BENCH_CMD_BENCH_H

/*
 * argv[0] is "bench". Returns an exit status. Ended by SIGINT, SIGTERM or SIGHUP it keeps what was
 * finished, and then dies by that signal.
 */
int cmd_bench(int argc, char **argv);

#endif
