/* SPDX-License-Identifier: MIT */
/* Checksums of cached files and of what comes out of L1: against accidents, not against malice. */
#ifndef VPUP_LAB_DIGEST_H
#define VPUP_LAB_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* XXH3, 128 bits (xxHash, doc/xxhash_spec.md). */
struct digest {
	uint64_t low;
	uint64_t high;
};

#define DIGEST_HEX 33 /* of digest_hex(), with its NUL */

/* Several parts one after the other; their lengths count, so "ab","c" is not "a","bc". */
struct digest_state;
struct digest_state *digest_new(void); /* NULL: out of memory */
void digest_add(struct digest_state *s, const void *data, size_t size_bytes);
struct digest digest_end(struct digest_state *s); /* frees s */

struct digest digest_of(const void *data, size_t size_bytes);
void digest_hex(struct digest d, char hex[DIGEST_HEX]);

/* XXH32, seed 0: for frames. */
uint32_t digest_32(const void *data, size_t size_bytes, uint32_t seed);

#endif
