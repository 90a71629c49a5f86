/* SPDX-License-Identifier: MIT */
/* `vpup lab fetch`: Debian kernels into the cache, by apt, without root. */
#ifndef VPUP_LAB_FETCH_H
#define VPUP_LAB_FETCH_H

/* argv[0] is "fetch". Returns an exit status. */
int cmd_lab_fetch(int argc, char **argv);

#endif
