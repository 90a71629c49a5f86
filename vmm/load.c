/* SPDX-License-Identifier: MIT */
/* What stands in guest RAM when the boot VP starts: kernel, modules, tables, boot data. */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/acpi.h"
#include "vmm/bzimage.h"
#include "vmm/cache_dir.h"
#include "vmm/elf.h"
#include "vmm/elf_file.h"
#include "vmm/fdt.h"
#include "vmm/file.h"
#include "vmm/file_kind.h"
#include "vmm/firmware_boot.h"
#include "vmm/glue.h"
#include "vmm/initrd.h"
#include "vmm/kernel_study.h"
#include "vmm/layout.h"
#include "vmm/load.h"
#include "vmm/multiboot.h"
#include "vmm/pvh.h"
#include "vmm/tsc.h"

#define BUNDLED_GUEST "vpup-guest.elf"
#define PAGE_BYTES    4096ull
#define MMAP_BYTES    (128 * 1024)

/* A way to load a kernel, to tell it about the machine, and to start it. */
struct boot_protocol {
	bool (*recognise)(const uint8_t *file, size_t size_bytes);
	int (*load)(struct kernel_image *out, const struct mem *m, const uint8_t *file,
		    size_t size_bytes, struct err *e);
	int (*write_info)(const struct mem *m, const struct boot_data *b, struct err *e);
	struct boot_state state; /* but for RIP */
};

/* The first that recognises a file loads it. */
static const struct boot_protocol protocols[] = {
	{
		.recognise = bzimage_recognise,
		.load = bzimage_load,
		.write_info = bzimage_write_info,
		.state = {.rsi = LAYOUT_BOOT_PARAMS, .cr3 = LAYOUT_LONG_MODE},
	},
	{
		.recognise = multiboot_recognise,
		.load = multiboot_load,
		.write_info = multiboot_write_info,
		.state = {.rax = MULTIBOOT_BOOTLOADER_MAGIC, .rbx = LAYOUT_MBI},
	},
	{
		.recognise = elf_file_recognise,
		.load = elf_load_pvh,
		.write_info = pvh_write_info,
		.state = {.rbx = LAYOUT_PVH_INFO},
	},
};

/* What machine_load() knows so far. */
struct load {
	struct machine *m;
	const struct boot_protocol *protocol;
	struct kernel_image image;
	gpa_t top; /* low RAM is taken from here on */
	struct kernel_study study;
	struct boot_data data;
};

static const struct boot_protocol *find_protocol(const uint8_t *file, size_t size_bytes)
{
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		if (protocols[i].recognise(file, size_bytes))
			return &protocols[i];
	return NULL;
}

/* Loads the file's bytes by the protocol that is theirs. */
static int load_image(struct load *l, const uint8_t *file, size_t size_bytes, struct err *e)
{
	char kind[FILE_KIND_MAX];

	l->protocol = find_protocol(file, size_bytes);
	if (l->protocol)
		return l->protocol->load(&l->image, &l->m->mem, file, size_bytes, e);
	file_kind(kind, file, size_bytes);
	return err_set(e, ENOEXEC,
		       "this is %s (%zu bytes); a bzImage, or an ELF64 kernel with a PVH note or a "
		       "Multiboot header is needed",
		       kind, size_bytes);
}

static int load_kernel_file(struct load *l, const char *path, struct err *e)
{
	struct machine *m = l->m;
	struct err why;
	uint8_t *file;
	size_t size;
	int ret = file_read(path, m->mem.size_bytes, &file, &size, &why);

	if (ret)
		return err_set(e, -ret, "kernel: %s", why.text);
	ret = load_image(l, file, size, &why);
	if (ret == 0)
		ret = kernel_study_machine(&l->study, m, path, file, size, &why);
	free(file);
	if (ret)
		return err_set(e, -ret, "kernel '%s': %s", path, why.text);
	l->data.cmdline = l->study.cmdline;
	m->boot = l->protocol->state;
	m->boot.rip = l->image.entry.v;
	return 0;
}

char *load_kernel_path(const struct vm_config *cfg)
{
	char *path;

	if (!cfg->kernel)
		return file_of_vpup(BUNDLED_GUEST);
	return kernel_name_path(cfg->kernel, &path, NULL) ? NULL : path;
}

static int load_kernel(struct load *l, struct err *e)
{
	const char *name = l->m->cfg->kernel;
	struct err why;
	char *path;
	int ret;

	l->data.kernel = name ? name : BUNDLED_GUEST;
	if (name) {
		ret = kernel_name_path(name, &path, &why);
		if (ret)
			return err_set(e, -ret, "kernel: %s", why.text);
	} else {
		path = file_of_vpup(BUNDLED_GUEST);
		if (!path)
			return err_set(e, ENOMEM, "out of memory");
	}
	ret = load_kernel_file(l, path, e);
	free(path);
	return ret;
}

/* Takes size bytes from the top of what is still free of low RAM above `end`, page-aligned. */
static int take_top(gpa_t *top, uint64_t size, gpa_t end, const char *what, struct err *e)
{
	uint64_t need = (size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

	if (need > top->v || top->v - need < end.v)
		return err_set(e, ENOSPC,
			       "%s of %" PRIu64 " KiB does not fit beside the kernel: "
			       "give the guest more memory (-m)",
			       what, need >> 10);
	top->v = (top->v - need) & ~(PAGE_BYTES - 1);
	return 0;
}

int load_place_acpi(const struct machine *m, const struct mem *mem, gpa_t *base, struct err *e)
{
	const struct topology *t = faults_shown(&m->faults.tables, &m->topology);
	size_t bound = acpi_size_bound(t, virtio_slots(m->cfg));

	*base = mem_low_end(mem);
	return take_top(base, bound, gpa(LAYOUT_KERNEL_MIN), "ACPI tables", e);
}

static int load_acpi(struct load *l, struct err *e)
{
	struct machine *m = l->m;
	struct acpi_tables tables;
	int ret = load_place_acpi(m, &m->mem, &l->top, e);

	if (ret)
		return ret;
	if (l->top.v < l->image.end.v)
		return err_set(e, ENOSPC,
			       "the kernel ends at %#" PRIx64 ", past where the ACPI tables "
			       "stand: give the guest more memory (-m)",
			       l->image.end.v);
	ret = acpi_build(&tables, faults_shown(&m->faults.tables, &m->topology), &m->mem,
			 virtio_slots(m->cfg), l->top, e);
	if (ret)
		return ret;
	l->data.rsdp = gpa(LAYOUT_RSDP);
	l->data.reserved = l->top;
	ret = mem_write(&m->mem, l->top, tables.data, tables.size_bytes);
	if (ret == 0)
		ret = mem_write(&m->mem, gpa(LAYOUT_RSDP), tables.rsdp, sizeof(tables.rsdp));
	acpi_fini(&tables);
	return ret ? err_set(e, -ret, "the ACPI tables do not fit into RAM") : 0;
}

/*
 * Linux on a hardware-reduced machine without EFI does not use the ACPI reset register: it goes back
 * to real mode and jumps to the BIOS.
 */
static void load_reset_vector(struct load *l)
{
	/* mov al, 0xfe; out 0x64, al; hlt; jmp to the hlt */
	static const uint8_t code[] = {0xb0, 0xfe, 0xe6, LAYOUT_PORT_I8042_CMD, 0xf4, 0xeb, 0xfd};

	mem_write(&l->m->mem, gpa(LAYOUT_RESET_VECTOR), code, sizeof(code));
}

static int add_module(struct load *l, const struct boot_module *module, const void *data,
		      const char *what, struct err *e)
{
	uint64_t head = module->kind == BOOT_DTB ? PAGE_BYTES : 0;
	struct boot_module *m = &l->data.module[l->data.module_count];
	int ret = take_top(&l->top, module->size_bytes + head, l->image.end, what, e);

	if (ret)
		return ret;
	*m = *module;
	m->base = gpa_add(l->top, head);
	ret = mem_write(&l->m->mem, m->base, data, m->size_bytes);
	if (ret)
		return err_set(e, -ret, "%s does not fit into RAM", what);
	l->data.module_count++;
	return 0;
}

/* The kernel may want its initrd lower than there is RAM. */
static int lower_top(struct load *l, uint64_t initrd_bytes, struct err *e)
{
	uint64_t limit = l->image.initrd_end.v & ~(PAGE_BYTES - 1);

	if (!limit || limit >= l->top.v)
		return 0;
	if (limit < l->image.end.v || initrd_bytes > limit - l->image.end.v)
		return err_set(e, ENOSPC,
			       "the initrd of %" PRIu64 " KiB does not fit between the kernel, "
			       "which ends at %#" PRIx64 ", and %#" PRIx64
			       ", below which it wants it",
			       initrd_bytes >> 10, l->image.end.v, limit);
	l->top = gpa(limit);
	return 0;
}

static int load_initrd(struct load *l, struct err *e)
{
	const struct vm_config *cfg = l->m->cfg;
	struct boot_module module = {.name = cfg->initrd ? cfg->initrd : "", .kind = BOOT_INITRD};
	uint8_t *data;
	size_t size;
	int ret;

	if (!cfg->initrd && !cfg->exec)
		return 0;
	ret = initrd_read(cfg, l->study.release, l->m->mem.size_bytes, &data, &size, e);
	if (ret)
		return ret;
	module.size_bytes = size;
	ret = lower_top(l, size, e);
	if (ret == 0)
		ret = add_module(l, &module, data, "the initrd", e);
	free(data);
	return ret;
}

/* Is word one of the space-separated words of s? */
static bool has_word(const char *s, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = s; (p = strstr(p, word)); p += len)
		if ((p == s || p[-1] == ' ') && (p[len] == '\0' || p[len] == ' '))
			return true;
	return false;
}

/* A guest that is to find its machine in a device tree gets one; nobody else pays for it. */
static int load_fdt(struct load *l, struct err *e)
{
	const struct machine *m = l->m;
	void *fdt;
	size_t size;
	int ret;

	if (!has_word(l->data.cmdline, "tables=fdt"))
		return 0;
	ret = fdt_build(&fdt, &size, faults_shown(&m->faults.tables, &m->topology), &m->mem,
			l->data.cmdline, e);
	if (ret)
		return ret;
	ret = add_module(l, &(struct boot_module){{0}, size, "", BOOT_DTB}, fdt, "the device tree",
			 e);
	free(fdt);
	return ret;
}

int machine_load(struct machine *m, struct err *e)
{
	struct load l = {.m = m};
	int ret;

	/* Left alone, malloc() keeps freed buffers of a kernel's size for later: there is no later. */
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	if (m->firmware.image)
		return firmware_boot(m, e);
	ret = load_kernel(&l, e);

	if (ret == 0)
		ret = load_acpi(&l, e);
	if (ret == 0)
		load_reset_vector(&l);
	if (ret == 0)
		ret = load_initrd(&l, e);
	if (ret == 0)
		ret = load_fdt(&l, e);
	if (ret == 0)
		ret = l.protocol->write_info(&m->mem, &l.data, e);
	free(l.study.cmdline);
	m->record->loaded_tsc = tsc_now();
	return ret;
}
