/* SPDX-License-Identifier: MIT */
/* The network of `--net user`, whose addresses are always the same. */
#ifndef VPUP_GUEST_INIT_NETWORK_H
#define VPUP_GUEST_INIT_NETWORK_H

/* Brings lo up, and eth0 with libslirp's addresses, if there is one. */
void network_up(void);

#endif
