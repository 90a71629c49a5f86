/* SPDX-License-Identifier: MIT */
/* What firmware finds in fw_cfg: the machine's tables, and the kernel that it is to start. */
#ifndef VPUP_VMM_FIRMWARE_BOOT_H
#define VPUP_VMM_FIRMWARE_BOOT_H

#include "vmm/err.h"
#include "vmm/machine.h"

#define FIRMWARE_ROM_PATH_MAX 128

/*
 * Fills the machine's fw_cfg, in place of machine_load()'s other ways: kernel, initrd and command line for
 * the firmware (a bzImage, or an ELF kernel with a PVH note, which is put into RAM here), or none of them
 * where it is to boot from a disk. Returns 0, or -errno with e set: the user's to mend. What fw_cfg
 * serves is m->firmware_boot, until firmware_boot_free().
 */
int firmware_boot(struct machine *m, struct err *e);

/* The option ROM with which SeaBIOS starts a kernel: of Linux, of PVH; NULL behind the last. */
extern const char *const firmware_roms[];

/* Where this host has it. Returns false: nowhere. */
bool firmware_rom_path(const char *rom, char path[FIRMWARE_ROM_PATH_MAX]);

/* NULL is harmless. */
void firmware_boot_free(struct firmware_boot *b);

#endif
