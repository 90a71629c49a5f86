/* SPDX-License-Identifier: MIT */
/* `vpup conformance`: runs the bundled guest's tests, and tells what they found. */
#ifndef VPUP_BENCH_CMD_CONFORMANCE_H
#define VPUP_BENCH_CMD_CONFORMANCE_H

int cmd_conformance(int argc, char **argv);

#endif
