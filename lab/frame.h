/* SPDX-License-Identifier: MIT */
/*
 * What L1 has to say to its host: frames on a byte stream, each with a checksum. L1's end writes them
 * to its debug console (port 0xe9), which every engine hands on.
 */
#ifndef VPUP_LAB_FRAME_H
#define VPUP_LAB_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_PORT     0xe9
#define FRAME_DATA_MAX 32768u

/* Numbers and texts as L1 holds them in memory: both ends are x86-64. */
enum frame_type {
	FRAME_MARK = 1, /* uint64_t tsc of L1, then the name of what has just ended */
	FRAME_STDOUT,   /* bytes of COMMAND */
	FRAME_STDERR,
	FRAME_FILE,     /* path of a file that COMMAND wrote, as COMMAND's words have it */
	FRAME_DATA,     /* its next bytes */
	FRAME_FILE_END, /* struct digest of all of it */
	FRAME_FAIL,     /* uint32_t exit status of vpup, then one line: L1 can't run COMMAND */
	FRAME_EXIT,     /* uint32_t wait status of COMMAND: the last frame */
};

struct frame_head {
	uint32_t magic;
	uint32_t type;
	uint32_t size_bytes; /* of the data that follow */
	uint32_t sum;        /* XXH32 of the data, seeded with the type */
};

#define FRAME_MAGIC     0x4e55b1abu
#define FRAME_BYTES_MAX (sizeof(struct frame_head) + FRAME_DATA_MAX)

/* Writes a frame to out, which has FRAME_BYTES_MAX bytes; at most FRAME_DATA_MAX data. Its size. */
size_t frame_encode(uint8_t *out, enum frame_type type, const void *data, size_t size_bytes);

struct frame_decoder {
	/* Called for each whole frame. What it returns, unless 0, ends frame_decode(). */
	int (*take)(void *ctx, uint32_t type, const uint8_t *data, size_t size_bytes);
	void *ctx;
	size_t have;
	uint8_t buffer[FRAME_BYTES_MAX];
};

/*
 * Takes the next bytes of the stream. Returns 0, what take() returned, or -EBADMSG for bytes that are
 * no frame, or a damaged one; then d must not be used again.
 */
int frame_decode(struct frame_decoder *d, const uint8_t *data, size_t size_bytes);

#endif
