/* SPDX-License-Identifier: MIT */
/* What a VMM that is measured gives its guest: made once, the same for each of them. */
#ifndef VPUP_BENCH_PEER_GUEST_H
#define VPUP_BENCH_PEER_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "vmm/config.h"
#include "vmm/err.h"

struct peer_guest {
	char *kernel;  /* path; owned */
	int kernel_fd; /* a memory file that it names, and that the VMM inherits; -1: another file */
	char *cmdline; /* owned */
	int initrd_fd; /* a memory file that the VMM inherits; -1: none */
};

/*
 * Finds the kernel of cfg, and makes its initrd, the archive of --exec in it, and its command line: cfg's, and lpj where
 * that is asked for (tsc_khz is the guest's TSC frequency). With stops_at_entry the kernel is a copy that says so on the
 * debug console (port 0xe9), and halts, as soon as its protected-mode code is entered, at the 32-bit or the 64-bit
 * entry point: it must be a bzImage (Linux's Documentation/arch/x86/boot.rst). Returns 0 or -errno with e set; g is
 * valid for peer_guest_fini() in either case.
 */
int peer_guest_init(struct peer_guest *g, const struct vm_config *cfg, bool stops_at_entry,
		    uint64_t tsc_khz, struct err *e);
void peer_guest_fini(struct peer_guest *g);

#endif
