/* SPDX-License-Identifier: MIT */
/*
 * Hostile kernel files: a bzImage, an ELF64 kernel with a PVH note and a Multiboot kernel that the
 * input damages, or the input itself. What is refused must leave RAM as it was; what is loaded must
 * have its entry point and its end within RAM.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/bzimage_fixture.h"
#include "vmm/bzimage.h"
#include "vmm/elf.h"
#include "vmm/elf_file.h"
#include "vmm/layout.h"
#include "vmm/multiboot.h"
#include "vmm/pvh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PATCH_BYTES 4 /* where (16 bits), what (8 bits), how many bits of the file's size to drop */
#define FILE_MAX    8192

struct elf_kernel {
	Elf64_Ehdr header;
	Elf64_Phdr load, note;
	Elf64_Nhdr note_header;
	char note_name[4];
	uint64_t note_entry;
	uint8_t text[64];
};

struct multiboot_kernel {
	uint32_t magic, flags, checksum, header_addr, load_addr, load_end, bss_end, entry;
	uint8_t text[64];
};

struct file {
	size_t size;
	uint8_t bytes[FILE_MAX];
};

static void make_elf(struct file *f)
{
	struct elf_kernel k = {
		.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_phoff = offsetof(struct elf_kernel, load),
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2},
		.load = {.p_type = PT_LOAD,
			 .p_offset = offsetof(struct elf_kernel, text),
			 .p_paddr = 0x100000,
			 .p_filesz = 64,
			 .p_memsz = 4096},
		.note = {.p_type = PT_NOTE,
			 .p_offset = offsetof(struct elf_kernel, note_header),
			 .p_filesz = sizeof(Elf64_Nhdr) + 12,
			 .p_align = 4},
		.note_header = {4, 8, 18},
		.note_name = "Xen",
		.note_entry = 0x100000,
	};

	f->size = sizeof(k);
	memcpy(f->bytes, &k, sizeof(k));
}

static void make_multiboot(struct file *f)
{
	struct multiboot_kernel k = {0x1badb002, 0x10003,  0,        0x100000, 0x100000,
				     0x100040,   0x102000, 0x100020, {0x90}};

	k.checksum = 0u - k.magic - k.flags;
	f->size = sizeof(k);
	memcpy(f->bytes, &k, sizeof(k));
}

static void make_bzimage(struct file *f)
{
	struct bz_image z;

	bz_build(&z);
	f->size = sizeof(z.bytes);
	memcpy(f->bytes, z.bytes, sizeof(z.bytes));
}

/* The file that the input describes. */
static void make_file(struct file *f, const uint8_t *data, size_t size)
{
	static void (*const make[])(struct file * f) = {make_bzimage, make_elf, make_multiboot};
	uint8_t kind = data[0] & 3;

	memset(f, 0, sizeof(*f));
	if (kind == 3) {
		f->size = size - 1 < FILE_MAX ? size - 1 : FILE_MAX;
		memcpy(f->bytes, data + 1, f->size);
		return;
	}
	make[kind](f);
	for (size_t i = 1; i + PATCH_BYTES <= size; i += PATCH_BYTES) {
		size_t off = (size_t)(data[i] | data[i + 1] << 8) % FILE_MAX;

		f->bytes[off] = data[i + 2];
		if (data[i + 3] >= 0xf8)
			f->size = off;
	}
}

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static void check_loaded(const struct mem *m, const struct kernel_image *k)
{
	expect(k->end.v <= mem_low_end(m).v);
	expect(mem_ptr(m, k->entry, 1) != NULL);
}

static bool is_zero(const struct mem *m)
{
	const uint8_t *ram = m->region[0].host;

	return ram[0] == 0 && memcmp(ram, ram + 1, m->region[0].size_bytes - 1) == 0;
}

/* Loads by the first protocol that recognises the file. */
static void load(const struct mem *m, const uint8_t *file, size_t size)
{
	const struct boot_data data = {.kernel = "k", .cmdline = "x", .reserved = mem_low_end(m)};
	struct kernel_image k = {0};
	struct err e;
	int ret = -1;

	if (bzimage_recognise(file, size)) {
		bzimage_version(file, size);
		bzimage_payload(file, size, &(size_t){0});
		ret = bzimage_load(&k, m, file, size, &e);
		if (ret == 0)
			bzimage_write_info(m, &data, &e);
	} else if (multiboot_recognise(file, size)) {
		ret = multiboot_load(&k, m, file, size, &e);
	} else if (elf_file_recognise(file, size)) {
		ret = elf_load_pvh(&k, m, file, size, &e);
	}
	if (ret == 0)
		check_loaded(m, &k);
	else
		expect(is_zero(m));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct file f;
	struct mem m;
	struct err e;
	uint8_t *exact;

	if (size == 0)
		return 0;
	make_file(&f, data, size);
	/* A block of the file's own size, so that ASan sees a read past its end. */
	exact = malloc(f.size ? f.size : 1);
	expect(exact && mem_init(&m, LAYOUT_RAM_MIN, &e) == 0);
	memcpy(exact, f.bytes, f.size);
	load(&m, exact, f.size);
	free(exact);
	mem_fini(&m);
	return 0;
}
