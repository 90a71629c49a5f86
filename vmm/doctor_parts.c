/* SPDX-License-Identifier: MIT */
/* `vpup doctor`: what single options and commands need beside vpup. */
#include "vmm/doctor_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "vmm/cache_dir.h"
#include "vmm/doctor_say.h"
#include "vmm/firmware.h"
#include "vmm/firmware_boot.h"
#include "vmm/net_backend.h"
#include "vmm/program_files.h"
#include "vmm/qemu.h"
#include "vmm/share.h"

static void say_share(void)
{
	const char *daemon = share_daemon();

	if (daemon)
		doctor_say(DOCTOR_FINE, "virtiofsd", "%s, for --share and --exec", daemon);
	else
		doctor_say(DOCTOR_NOTE, "virtiofsd",
			   "missing: --share, and this directory in --exec, need it; install it "
			   "(" SHARE_PACKAGES ")");
}

static void say_network(void)
{
	struct err e;

	if (net_user_check(&e))
		doctor_say(DOCTOR_NOTE, "libslirp", "--net user can't run: %s", e.text);
	else
		doctor_say(DOCTOR_FINE, "libslirp", "%s, for --net user", SLIRP_LIBRARY);
}

static void say_firmware(const char *name)
{
	const char *path;
	struct err e;

	if (firmware_path(name, &path, &e))
		doctor_say(DOCTOR_NOTE, name, "%s", e.text);
	else
		doctor_say(DOCTOR_FINE, name, "%s, for --firmware %s", path, name);
}

static void say_roms(void)
{
	char path[FIRMWARE_ROM_PATH_MAX];

	for (const char *const *rom = firmware_roms; *rom; rom++) {
		if (firmware_rom_path(*rom, path))
			doctor_say(DOCTOR_FINE, "option ROM", "%s, for a kernel by SeaBIOS", path);
		else
			doctor_say(DOCTOR_NOTE, "option ROM",
				   "%s is missing: SeaBIOS needs it to start a kernel; install it "
				   "(Debian: qemu-system-data)",
				   *rom);
	}
}

static void say_qemu(void)
{
	char *path = program_find(QEMU_PROGRAM);

	if (path)
		doctor_say(DOCTOR_FINE, "QEMU", "%s, for vpup lab", path);
	else
		doctor_say(DOCTOR_NOTE, "QEMU",
			   "%s is missing: vpup lab needs it; install %s (Debian's and Ubuntu's "
			   "name)",
			   QEMU_PROGRAM, QEMU_PACKAGE);
	free(path);
}

static void say_lab_kernel(const char *name)
{
	struct err e;
	char *path;

	if (kernel_name_path(name, &path, &e)) {
		doctor_say(DOCTOR_NOTE, name, "%s", e.text);
		return;
	}
	doctor_say(DOCTOR_FINE, name, "%s, for vpup lab and -k %s", path, name);
	free(path);
}

void doctor_parts(void)
{
	say_share();
	say_network();
	say_firmware("seabios");
	say_firmware("qboot");
	say_roms();
	say_qemu();
	say_lab_kernel(KERNEL_NAME_PREFIX "6.1");
	say_lab_kernel(KERNEL_NAME_PREFIX "6.12");
}
