/* SPDX-License-Identifier: MIT */
/* Firmware: the file, and its place in the guest. */
#include "vmm/firmware.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vmm/file.h"

#define UNIT_BYTES (64u << 10)
#define MAX_BYTES  (256u << 10) /* what fits between 768 KiB and 1 MiB */
#define ROM_END    0x100000000ull
#define SHADOW_END 0x100000ull

/* Where distributions have them; the first that exists is taken. */
static const struct {
	const char *name;
	const char *package;
	const char *path[4];
} known[] = {
	{"seabios",
	 "seabios",
	 {"/usr/share/seabios/bios-microvm.bin", "/usr/share/seabios/bios-256k.bin",
	  "/usr/share/qemu/bios-256k.bin"}},
	{"qboot", "qemu-system-data", {"/usr/share/qemu/qboot.rom", "/usr/share/qboot/qboot.rom"}},
};

int firmware_path(const char *spec, const char **path, struct err *e)
{
	*path = spec;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, spec))
			continue;
		for (size_t k = 0; known[i].path[k]; k++) {
			*path = known[i].path[k];
			if (access(*path, R_OK) == 0)
				return 0;
		}
		return err_set(e, ENOENT,
			       "--firmware %s: not found on this host: install it (Debian: %s) or "
			       "name a file",
			       spec, known[i].package);
	}
	return 0;
}

static int check_size(const char *path, size_t size_bytes, struct err *e)
{
	if (size_bytes && size_bytes <= MAX_BYTES && size_bytes % UNIT_BYTES == 0)
		return 0;
	return err_set(e, EINVAL,
		       "--firmware: '%s' has %zu bytes; a PC BIOS of 64, 128, 192 or 256 KiB is "
		       "needed",
		       path, size_bytes);
}

int firmware_open(struct firmware *f, const char *spec, struct err *e)
{
	const char *path;
	struct err why;
	uint8_t *data;
	size_t size;
	void *image;
	int ret = firmware_path(spec, &path, e);

	if (ret)
		return ret;
	ret = file_read(path, 16u << 20, &data, &size, &why);
	if (ret)
		return err_set(e, -ret, "--firmware: %s", why.text);
	ret = check_size(path, size, e);
	if (ret == 0) {
		image = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
		if (image == MAP_FAILED) {
			ret = err_set(e, ENOMEM, "out of memory for '%s'", path);
		} else {
			memcpy(image, data, size);
			f->image = image;
			f->size_bytes = size;
		}
	}
	free(data);
	return ret;
}

void firmware_close(struct firmware *f)
{
	if (f->image)
		munmap(f->image, f->size_bytes);
	*f = (struct firmware){0};
}

int firmware_map(const struct firmware *f, struct kvm *k, uint32_t slot, const struct mem *m,
		 struct err *e)
{
	if (mem_write(m, gpa(SHADOW_END - f->size_bytes), f->image, f->size_bytes))
		return err_set(e, ENOSPC, "--firmware needs at least 1 MiB of RAM");
	return kvm_set_rom(k, slot, gpa(ROM_END - f->size_bytes), f->size_bytes, f->image, e);
}
