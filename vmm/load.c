/* SPDX-License-Identifier: MIT */
/* What stands in guest RAM when the boot VP starts: kernel, modules, tables, boot data. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/acpi.h"
#include "vmm/elf.h"
#include "vmm/fdt.h"
#include "vmm/file.h"
#include "vmm/layout.h"
#include "vmm/load.h"
#include "vmm/pvh.h"
#include "vmm/tsc.h"

#define BUNDLED_GUEST "vpup-guest.elf"
#define PAGE_BYTES    4096ull

static int load_kernel_file(struct machine *m, const char *path, struct elf_image *image,
			    struct err *e)
{
	struct err why;
	uint8_t *file;
	size_t size;
	int ret = file_read(path, m->mem.size_bytes, &file, &size, &why);

	if (ret)
		return err_set(e, -ret, "kernel: %s", why.text);
	ret = elf_load_pvh(image, &m->mem, file, size, &why);
	free(file);
	if (ret)
		return err_set(e, -ret, "kernel '%s': %s", path, why.text);
	m->entry = image->entry.v;
	return 0;
}

static int load_kernel(struct machine *m, struct elf_image *image, struct err *e)
{
	char *bundled;
	int ret;

	if (m->cfg->kernel)
		return load_kernel_file(m, m->cfg->kernel, image, e);
	bundled = file_of_vpup(BUNDLED_GUEST);
	if (!bundled)
		return err_set(e, ENOMEM, "out of memory");
	ret = load_kernel_file(m, bundled, image, e);
	free(bundled);
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

int load_place_acpi(const struct topology *t, const struct mem *m, gpa_t *base, struct err *e)
{
	*base = mem_low_end(m);
	return take_top(base, acpi_size_bound(t), gpa(LAYOUT_KERNEL_MIN), "ACPI tables", e);
}

static int load_acpi(struct machine *m, gpa_t *top, const struct elf_image *image, struct err *e)
{
	struct acpi_tables tables;
	int ret = load_place_acpi(&m->topology, &m->mem, top, e);

	if (ret)
		return ret;
	if (top->v < image->end.v)
		return err_set(e, ENOSPC,
			       "the kernel ends at %#" PRIx64 ", past where the ACPI tables "
			       "stand: give the guest more memory (-m)",
			       image->end.v);
	ret = acpi_build(&tables, &m->topology, &m->mem, *top, e);
	if (ret)
		return ret;
	ret = mem_write(&m->mem, *top, tables.data, tables.size_bytes);
	if (ret == 0)
		ret = mem_write(&m->mem, gpa(LAYOUT_RSDP), tables.rsdp, sizeof(tables.rsdp));
	acpi_fini(&tables);
	return ret ? err_set(e, -ret, "the ACPI tables do not fit into RAM") : 0;
}

static int add_module(struct machine *m, struct pvh_config *c, gpa_t *top, const void *data,
		      size_t size, const struct elf_image *image, const char *what, struct err *e)
{
	int ret = take_top(top, size, image->end, what, e);

	if (ret)
		return ret;
	ret = mem_write(&m->mem, *top, data, size);
	if (ret)
		return err_set(e, -ret, "%s does not fit into RAM", what);
	c->module[c->module_count++] = (struct pvh_module){*top, size};
	return 0;
}

static int load_initrd(struct machine *m, struct pvh_config *c, gpa_t *top,
		       const struct elf_image *image, struct err *e)
{
	struct err why;
	uint8_t *data;
	size_t size;
	int ret;

	if (!m->cfg->initrd)
		return 0;
	ret = file_read(m->cfg->initrd, m->mem.size_bytes, &data, &size, &why);
	if (ret)
		return err_set(e, -ret, "initrd: %s", why.text);
	ret = add_module(m, c, top, data, size, image, "the initrd", e);
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
static int load_fdt(struct machine *m, struct pvh_config *c, gpa_t *top,
		    const struct elf_image *image, struct err *e)
{
	void *fdt;
	size_t size;
	int ret;

	if (!has_word(m->cfg->append, "tables=fdt"))
		return 0;
	ret = fdt_build(&fdt, &size, &m->topology, &m->mem, m->cfg->append, e);
	if (ret)
		return ret;
	ret = add_module(m, c, top, fdt, size, image, "the device tree", e);
	free(fdt);
	return ret;
}

int machine_load(struct machine *m, struct err *e)
{
	struct pvh_config c = {.cmdline = m->cfg->append, .rsdp = gpa(LAYOUT_RSDP)};
	struct elf_image image;
	gpa_t top = mem_low_end(&m->mem);
	int ret = load_kernel(m, &image, e);

	if (ret == 0)
		ret = load_acpi(m, &top, &image, e);
	c.reserved = top;
	if (ret == 0)
		ret = load_initrd(m, &c, &top, &image, e);
	if (ret == 0)
		ret = load_fdt(m, &c, &top, &image, e);
	if (ret == 0)
		ret = pvh_write_info(&m->mem, &c, e);
	m->record->loaded_tsc = tsc_now();
	return ret;
}
