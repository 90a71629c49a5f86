/* SPDX-License-Identifier: MIT */
/* What a kernel file tells about the kernel in it, beyond how to load it, and its command line. */
#ifndef VPUP_VMM_KERNEL_STUDY_H
#define VPUP_VMM_KERNEL_STUDY_H

#include "vmm/linux_image.h"
#include "vmm/machine.h"

struct kernel_study {
	char *cmdline; /* owned */
	char release
		[LINUX_VERSION_MAX]; /* of a Linux: "6.1.0-18-amd64 (debian-kernel@..."; else "" */
};

/*
 * Finds out whether the kernel of m is Linux, and makes its command line of what was asked for, with lpj where
 * that is to be found out; m->lpj_note then says from what. Returns 0; -EINVAL (--exec without Linux), or
 * another -errno with e set where HZ can't be told.
 */
int kernel_study(struct kernel_study *k, struct machine *m, const char *path, const uint8_t *file,
		 size_t size_bytes, struct err *e);

#endif
