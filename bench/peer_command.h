/* SPDX-License-Identifier: MIT */
/* The command that starts a VM by vpup, or one as like it as can be by QEMU's microvm. */
#ifndef VPUP_BENCH_PEER_COMMAND_H
#define VPUP_BENCH_PEER_COMMAND_H

#include <stdbool.h>

#include "bench/peer_guest.h"
#include "vmm/config.h"
#include "vmm/err.h"

#define PEER_COMMAND_ARGS 40

struct peer_vm {
	const struct vm_config *cfg;
	const struct peer_guest *guest;
	const char *debugcon; /* file for what goes to port 0xe9; NULL: it is not looked at */
	bool is_emulated; /* this KVM emulates its guests: QEMU's "host" CPU is too much for it */
};

struct peer_command {
	const char *exe;
	char *argv[PEER_COMMAND_ARGS]; /* ends with NULL; owned */
};

/* Whether cfg asks for nothing but what both can do. Returns 0 or -ENOTSUP with e set. */
int peer_command_check(const struct vm_config *cfg, struct err *e);

/*
 * `vpup run`, by this program, with the serial port on stdout. Returns 0 or -ENOMEM; c is valid for
 * peer_command_fini() in either case.
 */
int peer_command_vpup(struct peer_command *c, const struct peer_vm *vm);

/*
 * QEMU's microvm (its docs/system/i386/microvm.rst), likewise. Devices that the guest has no use for are off, so
 * that QEMU shows its best; it shows its guest KVM's own interface instead of Hyper-V.
 */
int peer_command_qemu(struct peer_command *c, const struct peer_vm *vm);
void peer_command_fini(struct peer_command *c);

#endif
