/* SPDX-License-Identifier: MIT */
/* Compressed data in memory: gzip, xz, zstd, LZ4 and what else libarchive knows. */
#ifndef VPUP_VMM_UNPACK_H
#define VPUP_VMM_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"

/*
 * Unpacks data, at most max_bytes of what is in it. Damage past the first byte ends it early, since
 * kernels have rubbish behind their compressed part. *out is malloc'ed, the caller's.
 * Returns 0; -ENOENT (no libarchive), -EINVAL (not compressed, or in no way that it knows), -EBADMSG (empty, or damaged
 * from the start) or -ENOMEM with e set.
 */
int unpack(const uint8_t *data, size_t size_bytes, size_t max_bytes, uint8_t **out,
	   size_t *out_bytes, struct err *e);

#endif
