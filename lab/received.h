/* SPDX-License-Identifier: MIT */
/* Files on their way out of L1: checked as a whole, then written where COMMAND's words allow. */
#ifndef VPUP_LAB_RECEIVED_H
#define VPUP_LAB_RECEIVED_H

#include "lab/buffer.h"
#include "lab/words.h"
#include "vmm/err.h"

/* Start with words set and the rest 0. */
struct received {
	const struct words *words;
	char *path; /* owned; NULL: no file is open */
	struct buffer data;
};

/*
 * A frame of type FRAME_FILE, _DATA or _FILE_END. Returns 0; -EBADMSG for a frame out of order or a
 * damaged file, -EACCES for a path that was not allowed, or -errno of writing it; with e set.
 */
int received_frame(struct received *r, uint32_t type, const uint8_t *data, size_t size_bytes,
		   struct err *e);

void received_fini(struct received *r);

#endif
