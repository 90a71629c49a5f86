/* SPDX-License-Identifier: MIT */
/* What a file is that was taken for a kernel: by its magic numbers, for messages. */
#ifndef VPUP_VMM_FILE_KIND_H
#define VPUP_VMM_FILE_KIND_H

#include <stddef.h>
#include <stdint.h>

#define FILE_KIND_MAX 64

/*
 * Says what the file is: "a Linux Image for arm64", "a gzip'd initrd", "an unknown kind of file".
 * Into a compressed file it looks where libarchive is at hand.
 */
void file_kind(char out[FILE_KIND_MAX], const uint8_t *file, size_t size_bytes);

#endif
