/* SPDX-License-Identifier: MIT */
/* A small bzImage without fault, for tests to damage. */
#ifndef VPUP_TESTS_UNIT_BZIMAGE_FIXTURE_H
#define VPUP_TESTS_UNIT_BZIMAGE_FIXTURE_H

#include "vmm/bzimage_header.h"

#define BZ_SECTS       2
#define BZ_KERNEL_OFF  ((BZ_SECTS + 1) * 512)
#define BZ_KERNEL_SIZE 0x1000
#define BZ_SIZE        (BZ_KERNEL_OFF + BZ_KERNEL_SIZE)
#define BZ_PREF        0x200000u
#define BZ_INIT_SIZE   0x10000u
#define BZ_VERSION     "6.1.0-99-test (debian-kernel@lists.debian.org) #1 SMP"
#define BZ_PAYLOAD_OFF 0x300
#define BZ_PAYLOAD     0x400

/* The file, byte for byte. Reset it with bz_build(). */
struct bz_image {
	uint8_t bytes[BZ_SIZE];
};

void bz_build(struct bz_image *z);

/* Its header, to be changed in place. */
struct setup_header *bz_header(struct bz_image *z);

#endif
