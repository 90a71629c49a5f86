/* SPDX-License-Identifier: MIT */
/* What firmware finds in fw_cfg. */
#include "vmm/firmware_boot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devices/fw_cfg.h"
#include "vmm/bzimage.h"
#include "vmm/bzimage_header.h"
#include "vmm/elf.h"
#include "vmm/elf_file.h"
#include "vmm/file.h"
#include "vmm/file_kind.h"
#include "vmm/firmware_tables.h"
#include "vmm/glue.h"
#include "vmm/initrd.h"
#include "vmm/kernel_study.h"
#include "vmm/load.h"
#include "vmm/multiboot.h"

/* Where the firmware is to put the parts of a bzImage: QEMU's addresses, which qboot takes for granted. */
#define SETUP_GPA   0x10000u
#define CMDLINE_GPA 0x20000u
#define KERNEL_GPA  0x100000u

#define LOADER_UNDEFINED  0xff
#define LOADED_HIGH_HEAP  0x80  /* loadflags: heap_end_ptr counts */
#define PVH_HEADER_BYTES  8192u /* what firmware looks at to tell what the kernel is */
#define PAGE_MASK         0xfffu
#define INITRD_KEEP_BYTES 0x20000u /* above the initrd, for the firmware's own tables */

#define LINUX_ROM "linuxboot_dma.bin"
#define PVH_ROM   "pvh.bin"

/* Where distributions have QEMU's option ROMs. */
static const char *const rom_directories[] = {"/usr/share/qemu", "/usr/share/seabios"};

struct firmware_boot {
	uint8_t *kernel; /* owned, as are all of these; NULL where there is none */
	size_t kernel_bytes;
	uint8_t *initrd;
	size_t initrd_bytes;
	struct kernel_study study;
	uint8_t *rom;
	size_t rom_bytes;
	uint8_t *setup;
	struct acpi_tables tables;
	struct loader_script script;
	struct e820_file e820;
	char rom_file[64];
	char boot_order[96];
};

void firmware_boot_free(struct firmware_boot *b)
{
	if (!b)
		return;
	free(b->kernel);
	free(b->initrd);
	free(b->rom);
	free(b->study.cmdline);
	free(b->setup);
	acpi_fini(&b->tables);
	free(b);
}

/* Below what the kernel asks for and what RAM there is, as high as can be. */
static int place_initrd(const struct firmware_boot *b, const struct mem *m, uint32_t addr_max,
			uint32_t *addr, struct err *e)
{
	uint64_t end = mem_low_end(m).v - INITRD_KEEP_BYTES;

	if (end > (uint64_t)addr_max + 1)
		end = (uint64_t)addr_max + 1;
	if (b->initrd_bytes > end - KERNEL_GPA || end < KERNEL_GPA)
		return err_set(e, ENOSPC, "the initrd of %zu KiB does not fit into RAM: -m",
			       b->initrd_bytes >> 10);
	*addr = (uint32_t)(end - b->initrd_bytes) & ~PAGE_MASK;
	return 0;
}

static int add_initrd(struct firmware_boot *b, struct machine *m, uint32_t addr_max, uint32_t *addr,
		      struct err *e)
{
	int ret = initrd_read(m->cfg, b->study.release, m->mem.size_bytes, &b->initrd,
			      &b->initrd_bytes, e);

	*addr = 0;
	if (ret || !b->initrd)
		return ret;
	ret = place_initrd(b, &m->mem, addr_max, addr, e);
	if (ret)
		return ret;
	fw_cfg_add_number(m->fw_cfg, FW_CFG_INITRD_ADDR, *addr, 4);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_INITRD_SIZE, b->initrd_bytes, 4);
	fw_cfg_add_data(m->fw_cfg, FW_CFG_INITRD_DATA, b->initrd, (uint32_t)b->initrd_bytes);
	return 0;
}

static void add_cmdline(const struct firmware_boot *b, struct machine *m)
{
	uint32_t size = (uint32_t)strlen(b->study.cmdline) + 1;

	fw_cfg_add_number(m->fw_cfg, FW_CFG_CMDLINE_ADDR, CMDLINE_GPA, 4);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_CMDLINE_SIZE, size, 4);
	fw_cfg_add_data(m->fw_cfg, FW_CFG_CMDLINE_DATA, b->study.cmdline, size);
}

/* What a 16-bit boot loader sets in the header (boot.rst, "the real-mode kernel header"). */
static void patch_setup(uint8_t *setup, uint32_t initrd_addr, uint32_t initrd_bytes)
{
	struct setup_header *h = (struct setup_header *)(setup + SETUP_HEADER_OFFSET);

	h->type_of_loader = LOADER_UNDEFINED;
	h->loadflags |= LOADED_HIGH_HEAP;
	h->heap_end_ptr = CMDLINE_GPA - SETUP_GPA - 0x200;
	h->cmd_line_ptr = CMDLINE_GPA;
	h->ramdisk_image = initrd_addr;
	h->ramdisk_size = initrd_bytes;
}

static int add_bzimage(struct firmware_boot *b, struct machine *m, struct err *e)
{
	const struct setup_header *h =
		(const struct setup_header *)(b->kernel + SETUP_HEADER_OFFSET);
	uint32_t setup_bytes, initrd_addr;
	int ret = bzimage_check(&m->mem, b->kernel, b->kernel_bytes, e);

	if (ret)
		return ret;
	if (strlen(b->study.cmdline) > h->cmdline_size)
		return err_set(e, E2BIG,
			       "the guest's command line has %zu bytes; this kernel takes %u",
			       strlen(b->study.cmdline), h->cmdline_size);
	ret = add_initrd(b, m, h->initrd_addr_max, &initrd_addr, e);
	if (ret)
		return ret;
	setup_bytes = bzimage_code_offset(b->kernel);
	b->setup = malloc(setup_bytes);
	if (!b->setup)
		return err_set(e, ENOMEM, "out of memory");
	memcpy(b->setup, b->kernel, setup_bytes);
	patch_setup(b->setup, initrd_addr, (uint32_t)b->initrd_bytes);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_SETUP_ADDR, SETUP_GPA, 4);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_SETUP_SIZE, setup_bytes, 4);
	fw_cfg_add_data(m->fw_cfg, FW_CFG_SETUP_DATA, b->setup, setup_bytes);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_KERNEL_ADDR, KERNEL_GPA, 4);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_KERNEL_SIZE, b->kernel_bytes - setup_bytes, 4);
	fw_cfg_add_data(m->fw_cfg, FW_CFG_KERNEL_DATA, b->kernel + setup_bytes,
			(uint32_t)(b->kernel_bytes - setup_bytes));
	strcpy(b->rom_file, LINUX_ROM);
	return 0;
}

/* The firmware finds its segments in RAM already, as it does under QEMU. */
static int add_pvh(struct firmware_boot *b, struct machine *m, struct err *e)
{
	uint32_t head =
		b->kernel_bytes < PVH_HEADER_BYTES ? (uint32_t)b->kernel_bytes : PVH_HEADER_BYTES;
	struct kernel_image image;
	uint32_t initrd_addr;
	int ret = elf_load_pvh(&image, &m->mem, b->kernel, b->kernel_bytes, e);

	if (ret == 0)
		ret = add_initrd(b, m, UINT32_MAX - 1, &initrd_addr, e);
	if (ret)
		return ret;
	fw_cfg_add_number(m->fw_cfg, FW_CFG_SETUP_ADDR, SETUP_GPA, 4);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_SETUP_SIZE, head, 4);
	fw_cfg_add_data(m->fw_cfg, FW_CFG_SETUP_DATA, b->kernel, head);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_KERNEL_ENTRY, image.entry.v, 4);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_KERNEL_ADDR, KERNEL_GPA, 4);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_KERNEL_SIZE, image.end.v - KERNEL_GPA, 4);
	strcpy(b->rom_file, PVH_ROM);
	return 0;
}

static bool is_elf64(const struct firmware_boot *b)
{
	return elf_file_recognise(b->kernel, b->kernel_bytes) && b->kernel_bytes > EI_CLASS &&
	       b->kernel[EI_CLASS] == ELFCLASS64;
}

static int add_image(struct firmware_boot *b, struct machine *m, struct err *e)
{
	char kind[FILE_KIND_MAX] = "a Multiboot kernel";

	if (bzimage_recognise(b->kernel, b->kernel_bytes))
		return add_bzimage(b, m, e);
	if (is_elf64(b))
		return add_pvh(b, m, e);
	if (!multiboot_recognise(b->kernel, b->kernel_bytes))
		file_kind(kind, b->kernel, b->kernel_bytes);
	return err_set(e, ENOEXEC,
		       "this is %s; firmware starts a bzImage, or an ELF64 kernel with a PVH note",
		       kind);
}

/* Without a kernel and with a disk, the firmware boots from that. */
static int add_kernel(struct firmware_boot *b, struct machine *m, struct err *e)
{
	char *path;
	struct err why;
	int ret;

	if (!m->cfg->kernel && m->cfg->disk_count)
		return 0;
	path = load_kernel_path(m->cfg);
	if (!path)
		return err_set(e, ENOMEM, "out of memory");
	ret = file_read(path, m->mem.size_bytes, &b->kernel, &b->kernel_bytes, &why);
	if (ret == 0)
		ret = kernel_study_machine(&b->study, m, path, b->kernel, b->kernel_bytes, &why);
	if (ret == 0)
		ret = add_image(b, m, &why);
	if (ret == 0)
		add_cmdline(b, m);
	else
		err_set(e, -ret, "kernel '%s': %s", path, why.text);
	free(path);
	return ret;
}

const char *const firmware_roms[] = {LINUX_ROM, PVH_ROM, NULL};

bool firmware_rom_path(const char *rom, char path[FIRMWARE_ROM_PATH_MAX])
{
	for (size_t i = 0; i < sizeof(rom_directories) / sizeof(rom_directories[0]); i++) {
		snprintf(path, FIRMWARE_ROM_PATH_MAX, "%s/%s", rom_directories[i], rom);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* SeaBIOS starts a kernel by an option ROM of QEMU's; qboot does it itself. */
static int read_rom(struct firmware_boot *b, struct err *e)
{
	char path[FIRMWARE_ROM_PATH_MAX];

	if (firmware_rom_path(b->rom_file, path))
		return file_read(path, 1u << 20, &b->rom, &b->rom_bytes, e);
	return err_set(e, ENOENT,
		       "SeaBIOS needs %s to start a kernel: install it (Debian: qemu-system-data)",
		       b->rom_file);
}

static int add_files(struct firmware_boot *b, struct machine *m, struct err *e)
{
	struct fw_cfg *f = m->fw_cfg;
	char name[sizeof(b->rom_file) + 16];
	int ret = acpi_build(&b->tables, faults_shown(&m->faults.tables, &m->topology), &m->mem,
			     virtio_slots(m->cfg), gpa(0), e);

	if (ret == 0 && b->rom_file[0])
		ret = read_rom(b, e);
	if (ret)
		return ret;
	firmware_script(&b->script, &b->tables);
	firmware_e820(&b->e820, &m->mem);
	if (b->rom_file[0])
		snprintf(b->boot_order, sizeof(b->boot_order), "/rom@genroms/%s\nHALT",
			 b->rom_file);
	if (b->rom_file[0])
		fw_cfg_add_file(f, "bootorder", b->boot_order, (uint32_t)strlen(b->boot_order) + 1);
	fw_cfg_add_file(f, ACPI_RSDP_FILE, b->tables.rsdp, sizeof(b->tables.rsdp));
	fw_cfg_add_file(f, ACPI_TABLES_FILE, b->tables.data, (uint32_t)b->tables.size_bytes);
	fw_cfg_add_file(f, E820_FILE, b->e820.entry,
			(uint32_t)(b->e820.count * sizeof(b->e820.entry[0])));
	fw_cfg_add_file(f, ACPI_LOADER_FILE, b->script.command,
			(uint32_t)(b->script.count * sizeof(b->script.command[0])));
	snprintf(name, sizeof(name), "genroms/%s", b->rom_file);
	if (b->rom_file[0])
		fw_cfg_add_file(f, name, b->rom, (uint32_t)b->rom_bytes);
	return 0;
}

int firmware_boot(struct machine *m, struct err *e)
{
	struct firmware_boot *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return err_set(e, ENOMEM, "out of memory");
	m->firmware_boot = b;
	fw_cfg_add_number(m->fw_cfg, FW_CFG_NOGRAPHIC, 1, 2); /* the console is COM1 */
	fw_cfg_add_number(m->fw_cfg, FW_CFG_BOOT_MENU, 0, 2);
	fw_cfg_add_number(m->fw_cfg, FW_CFG_IRQ0_OVERRIDE, 0, 4);
	ret = add_kernel(b, m, e);
	return ret ? ret : add_files(b, m, e);
}
