/* SPDX-License-Identifier: MIT */
/* vpup as L1's init. */
#ifndef VPUP_LAB_INIT_H
#define VPUP_LAB_INIT_H

/*
 * Sets L1 up, runs the job in L1_JOB and hands everything to the host through the channel. Returns
 * only when it is not the first process, with an exit status.
 */
int lab_init(int argc, char **argv);

#endif
