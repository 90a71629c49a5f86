/* SPDX-License-Identifier: MIT */
/* `vpup peer`: vpup or another VMM, measured from outside. */
#ifndef VPUP_BENCH_CMD_PEER_H
#define VPUP_BENCH_CMD_PEER_H

/* Returns the exit status. */
int cmd_peer(int argc, char **argv);

#endif
