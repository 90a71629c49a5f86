/* SPDX-License-Identifier: MIT */
/* Checksums by xxHash, whose header is all of it: nothing more to load when vpup starts. */
#include "lab/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct digest_state *digest_new(void)
{
	XXH3_state_t *s = XXH3_createState();

	if (s)
		XXH3_128bits_reset(s);
	return (struct digest_state *)s;
}

void digest_add(struct digest_state *s, const void *data, size_t size_bytes)
{
	uint64_t length = size_bytes;

	XXH3_128bits_update((XXH3_state_t *)s, &length, sizeof(length));
	XXH3_128bits_update((XXH3_state_t *)s, data, size_bytes);
}

static struct digest from_xxh(XXH128_hash_t h)
{
	return (struct digest){h.low64, h.high64};
}

struct digest digest_end(struct digest_state *s)
{
	struct digest d = from_xxh(XXH3_128bits_digest((XXH3_state_t *)s));

	XXH3_freeState((XXH3_state_t *)s);
	return d;
}

struct digest digest_of(const void *data, size_t size_bytes)
{
	return from_xxh(XXH3_128bits(data, size_bytes));
}

void digest_hex(struct digest d, char hex[DIGEST_HEX])
{
	snprintf(hex, DIGEST_HEX, "%016" PRIx64 "%016" PRIx64, d.high, d.low);
}

uint32_t digest_32(const void *data, size_t size_bytes, uint32_t seed)
{
	return XXH32(data, size_bytes, seed);
}
