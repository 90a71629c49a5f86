/* SPDX-License-Identifier: MIT */
/* `vpup doctor`: what this host can do, and what to do about what it can't. */
#ifndef VPUP_VMM_CMD_DOCTOR_H
#define VPUP_VMM_CMD_DOCTOR_H

/* Prints a line per fact. Exit status 0 when the bundled guest can run here, 3 when not. */
int cmd_doctor(int argc, char **argv);

#endif
