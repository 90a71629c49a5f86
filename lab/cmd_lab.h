/* SPDX-License-Identifier: MIT */
/* `vpup lab`. */
#ifndef VPUP_LAB_CMD_LAB_H
#define VPUP_LAB_CMD_LAB_H

/* The subcommand: argv[0] is its name. Returns an exit status. */
int cmd_lab(int argc, char **argv);

#endif
