/* SPDX-License-Identifier: MIT */
/* L1's file system: vpup, what it needs, KVM's modules; and what COMMAND needs. */
#ifndef VPUP_LAB_IMAGE_H
#define VPUP_LAB_IMAGE_H

#include "lab/cache.h"
#include "lab/l1_kernel.h"
#include "lab/words.h"
#include "vmm/err.h"

/*
 * What is the same for every COMMAND, from the cache or made and put there. *data is malloc'ed.
 * Returns 0, or -errno with e set.
 */
int image_base(struct cache *c, const struct modules *m, uint8_t **data, size_t *size_bytes,
	       struct err *e);

/*
 * Appends to it what COMMAND needs: the job, whose working directory is this one, and files. Returns 0
 * or -errno with e set.
 */
int image_add_job(uint8_t **data, size_t *size_bytes, char *const *command, const struct words *w,
		  struct files *files, struct err *e);

#endif
