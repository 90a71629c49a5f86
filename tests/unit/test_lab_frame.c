/* SPDX-License-Identifier: MIT */
/* Unit tests of the frames that come out of L1: any cut, and no damage that goes unnoticed. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/frame.h"
#include "tests/unit/suites.h"

#define TAKEN_MAX 8

struct taken {
	unsigned count;
	uint32_t type[TAKEN_MAX];
	size_t size[TAKEN_MAX];
	uint8_t last[FRAME_DATA_MAX];
	int answer;
};

static int take(void *ctx, uint32_t type, const uint8_t *data, size_t size_bytes)
{
	struct taken *t = ctx;

	ck_assert_uint_lt(t->count, TAKEN_MAX);
	t->type[t->count] = type;
	t->size[t->count++] = size_bytes;
	memcpy(t->last, data, size_bytes);
	return t->answer;
}

static struct frame_decoder *decoder_new(struct taken *t)
{
	struct frame_decoder *d = calloc(1, sizeof(*d));

	ck_assert_ptr_nonnull(d);
	memset(t, 0, sizeof(*t));
	d->take = take;
	d->ctx = t;
	return d;
}

/* Two frames, one of them empty. Returns their size. */
static size_t two_frames(uint8_t *stream)
{
	size_t n = frame_encode(stream, FRAME_STDOUT, "hello", 5);

	return n + frame_encode(stream + n, FRAME_EXIT, "", 0);
}

START_TEST(test_every_cut)
{
	uint8_t stream[2 * FRAME_BYTES_MAX];
	size_t size = two_frames(stream);

	for (size_t step = 1; step <= size; step++) {
		struct taken t;
		struct frame_decoder *d = decoder_new(&t);

		for (size_t at = 0; at < size; at += step)
			ck_assert_int_eq(frame_decode(d, stream + at,
						      step < size - at ? step : size - at),
					 0);
		ck_assert_uint_eq(t.count, 2);
		ck_assert_uint_eq(t.type[0], FRAME_STDOUT);
		ck_assert_uint_eq(t.size[0], 5);
		ck_assert_mem_eq(t.last, "hello", 5);
		ck_assert_uint_eq(t.type[1], FRAME_EXIT);
		ck_assert_uint_eq(t.size[1], 0);
		free(d);
	}
}
END_TEST

START_TEST(test_largest)
{
	static uint8_t data[FRAME_DATA_MAX], stream[FRAME_BYTES_MAX];
	struct taken t;
	struct frame_decoder *d = decoder_new(&t);

	memset(data, 7, sizeof(data));
	ck_assert_uint_eq(frame_encode(stream, FRAME_DATA, data, sizeof(data)), FRAME_BYTES_MAX);
	ck_assert_int_eq(frame_decode(d, stream, sizeof(stream)), 0);
	ck_assert_uint_eq(t.size[0], FRAME_DATA_MAX);
	free(d);
}
END_TEST

/* One bit, anywhere in a frame: its type is in the sum, and a longer size waits for more. */
START_TEST(test_every_bit_counts)
{
	uint8_t stream[2 * FRAME_BYTES_MAX];
	size_t size = frame_encode(stream, FRAME_STDERR, "abc", 3);

	for (size_t bit = 0; bit < 8 * size; bit++) {
		struct taken t;
		struct frame_decoder *d = decoder_new(&t);

		stream[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (frame_decode(d, stream, size) == 0)
			ck_assert_uint_eq(t.count, 0);
		stream[bit / 8] ^= (uint8_t)(1 << bit % 8);
		free(d);
	}
}
END_TEST

START_TEST(test_too_large)
{
	const struct frame_head head = {FRAME_MAGIC, FRAME_STDOUT, FRAME_DATA_MAX + 1, 0};
	struct taken t;
	struct frame_decoder *d = decoder_new(&t);

	ck_assert_int_eq(frame_decode(d, (const uint8_t *)&head, sizeof(head)), -EBADMSG);
	free(d);
}
END_TEST

START_TEST(test_answer_ends)
{
	uint8_t stream[2 * FRAME_BYTES_MAX];
	struct taken t;
	struct frame_decoder *d = decoder_new(&t);

	t.answer = 1;
	ck_assert_int_eq(frame_decode(d, stream, two_frames(stream)), 1);
	ck_assert_uint_eq(t.count, 1);
	free(d);
}
END_TEST

Suite *lab_frame_suite(void)
{
	Suite *s = suite_create("lab_frame");
	TCase *t = tcase_create("frame");

	tcase_add_test(t, test_every_cut);
	tcase_add_test(t, test_largest);
	tcase_add_test(t, test_every_bit_counts);
	tcase_add_test(t, test_too_large);
	tcase_add_test(t, test_answer_ends);
	suite_add_tcase(s, t);
	return s;
}
