/* SPDX-License-Identifier: MIT */
/* Port forwards from the host into the guest, as --net user,hostfwd=... names them. */
#ifndef VPUP_VMM_HOSTFWD_H
#define VPUP_VMM_HOSTFWD_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "vmm/err.h"

#define HOSTFWD_MAX 16

struct hostfwd {
	bool is_udp;
	struct in_addr host_addr;  /* any, unless the user says */
	struct in_addr guest_addr; /* 0: the guest's own */
	uint16_t host_port;
	uint16_t guest_port;
};

/*
 * Reads "hostfwd=RULE[,hostfwd=RULE...]" as QEMU writes it: a RULE is
 * [tcp|udp]:[HOSTADDR]:HOSTPORT-[GUESTADDR]:GUESTPORT. "" is an empty list. Returns the number of
 * rules, or -EINVAL with e set.
 */
int hostfwd_parse(struct hostfwd rule[HOSTFWD_MAX], const char *text, struct err *e);

#endif
