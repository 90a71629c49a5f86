/* SPDX-License-Identifier: MIT */
/* `vpup decode`: reads what another VMM's debug console caught of the bundled guest. */
#ifndef VPUP_BENCH_CMD_DECODE_H
#define VPUP_BENCH_CMD_DECODE_H

/* argv[0] is "decode". Returns an exit status: 2 without a trace, 1 for one that is not whole. */
int cmd_decode(int argc, char **argv);

#endif
