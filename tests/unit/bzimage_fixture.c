/* SPDX-License-Identifier: MIT */
/* A small bzImage without fault, for tests to damage. */
#include "tests/unit/bzimage_fixture.h"

#include <string.h>

#define VERSION_OFF 0x300 /* in the setup part */

struct setup_header *bz_header(struct bz_image *z)
{
	return (struct setup_header *)(z->bytes + SETUP_HEADER_OFFSET);
}

void bz_build(struct bz_image *z)
{
	const size_t end = SETUP_HEADER_OFFSET + sizeof(struct setup_header);

	memset(z, 0, sizeof(*z));
	*bz_header(z) = (struct setup_header){
		.setup_sects = BZ_SECTS,
		.syssize = BZ_KERNEL_SIZE / 16,
		.boot_flag = 0xaa55,
		.jump = (uint16_t)((end - 0x202) << 8 | 0xeb),
		.header = 0x53726448,
		.version = 0x20f,
		.kernel_version = VERSION_OFF - 0x200,
		.loadflags = 1,
		.initrd_addr_max = 0x7fffffff,
		.kernel_alignment = 0x200000,
		.relocatable_kernel = 1,
		.xloadflags = 1,
		.cmdline_size = 2047,
		.payload_offset = BZ_PAYLOAD_OFF,
		.payload_length = BZ_PAYLOAD,
		.pref_address = BZ_PREF,
		.init_size = BZ_INIT_SIZE,
	};
	memcpy(z->bytes + VERSION_OFF, BZ_VERSION, sizeof(BZ_VERSION));
	memset(z->bytes + BZ_KERNEL_OFF, 0x90, BZ_KERNEL_SIZE);
}
