/* SPDX-License-Identifier: MIT */
/* `vpup predict`: bring-up times of machines that are not there, from a model. */
#ifndef VPUP_BENCH_CMD_PREDICT_H
#define VPUP_BENCH_CMD_PREDICT_H

/* A subcommand; see vmm/cli.h. */
int cmd_predict(int argc, char **argv);

#endif
