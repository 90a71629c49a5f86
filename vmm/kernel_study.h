/* SPDX-License-Identifier: MIT */
/* What a kernel file tells about the kernel in it, beyond how to load it, and its command line. */
#ifndef VPUP_VMM_KERNEL_STUDY_H
#define VPUP_VMM_KERNEL_STUDY_H

#include "vmm/linux_image.h"
#include "vmm/machine.h"

struct kernel_study {
	char *cmdline; /* owned */
	bool is_linux;
	char release
		[LINUX_VERSION_MAX];  /* of a Linux: "6.1.0-18-amd64 (debian-kernel@..."; else "" */
	char lpj_note[LPJ_NOTE_SIZE]; /* where lpj comes from; "": nothing to tell */
};

/*
 * Finds out whether the kernel of cfg, whose file this is, is Linux, and makes its command line: cfg's, with lpj where
 * that is to be found out, for a TSC of tsc_khz. Returns 0; -EINVAL (--exec without Linux), or another -errno with e set
 * where HZ can't be told.
 */
int kernel_study(struct kernel_study *k, const struct vm_config *cfg, uint64_t tsc_khz,
		 const char *path, const uint8_t *file, size_t size_bytes, struct err *e);

/* The same for the kernel of m, with m's command line; m then knows of Linux and lpj. Likewise. */
int kernel_study_machine(struct kernel_study *k, struct machine *m, const char *path,
			 const uint8_t *file, size_t size_bytes, struct err *e);

#endif
