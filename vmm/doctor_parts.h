/* SPDX-License-Identifier: MIT */
/* `vpup doctor`: what single options and commands need beside vpup. */
#ifndef VPUP_VMM_DOCTOR_PARTS_H
#define VPUP_VMM_DOCTOR_PARTS_H

/* Prints a line for each: where it is, or what needs it and how to get it. */
void doctor_parts(void);

#endif
