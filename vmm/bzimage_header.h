/* SPDX-License-Identifier: MIT */
/* The setup header of a bzImage, which is also a part of boot_params: Linux's boot.rst, "zero page". */
#ifndef VPUP_VMM_BZIMAGE_HEADER_H
#define VPUP_VMM_BZIMAGE_HEADER_H

#include <stddef.h>
#include <stdint.h>

#define SETUP_HEADER_OFFSET 0x1f1 /* in the file as in boot_params */
#define SETUP_HEADER_MAX    0x290 /* where boot_params go on with something else */

/* All fields up to protocol 2.15, at their offset less SETUP_HEADER_OFFSET. */
struct setup_header {
	uint8_t setup_sects;
	uint16_t root_flags;
	uint32_t syssize; /* of the protected-mode part, in 16 bytes */
	uint16_t ram_size;
	uint16_t vid_mode;
	uint16_t root_dev;
	uint16_t boot_flag;
	uint16_t jump; /* second byte: distance from 0x202 to the header's end */
	uint32_t header;
	uint16_t version;
	uint32_t realmode_swtch;
	uint16_t start_sys_seg;
	uint16_t kernel_version; /* of the version string, less 0x200 */
	uint8_t type_of_loader;
	uint8_t loadflags;
	uint16_t setup_move_size;
	uint32_t code32_start;
	uint32_t ramdisk_image;
	uint32_t ramdisk_size;
	uint32_t bootsect_kludge;
	uint16_t heap_end_ptr;
	uint8_t ext_loader_ver;
	uint8_t ext_loader_type;
	uint32_t cmd_line_ptr;
	uint32_t initrd_addr_max; /* of the last byte */
	uint32_t kernel_alignment;
	uint8_t relocatable_kernel;
	uint8_t min_alignment;
	uint16_t xloadflags;
	uint32_t cmdline_size; /* without the NUL */
	uint32_t hardware_subarch;
	uint64_t hardware_subarch_data;
	uint32_t payload_offset; /* in the protected-mode part */
	uint32_t payload_length;
	uint64_t setup_data; /* first struct setup_data, 0: none */
	uint64_t pref_address;
	uint32_t init_size; /* RAM that is needed from the load address on */
	uint32_t handover_offset;
	uint32_t kernel_info_offset;
} __attribute__((packed));

#define SETUP_FIELD_OFFSET(field) (SETUP_HEADER_OFFSET + offsetof(struct setup_header, field))
_Static_assert(SETUP_FIELD_OFFSET(boot_flag) == 0x1fe, "boot.rst");
_Static_assert(SETUP_FIELD_OFFSET(version) == 0x206, "boot.rst");
_Static_assert(SETUP_FIELD_OFFSET(cmd_line_ptr) == 0x228, "boot.rst");
_Static_assert(SETUP_FIELD_OFFSET(payload_offset) == 0x248, "boot.rst");
_Static_assert(SETUP_FIELD_OFFSET(init_size) == 0x260, "boot.rst");
_Static_assert(SETUP_FIELD_OFFSET(kernel_info_offset) == 0x268, "boot.rst");

#endif
