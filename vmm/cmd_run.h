/* SPDX-License-Identifier: MIT */
/* `vpup run`: one VM, from its options to its exit status. */
#ifndef VPUP_VMM_CMD_RUN_H
#define VPUP_VMM_CMD_RUN_H

int cmd_run(int argc, char **argv);

#endif
