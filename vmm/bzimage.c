/* SPDX-License-Identifier: MIT */
/* Linux bzImages: the setup header as hostile input, and the kernel's way into guest RAM. */
#include "vmm/bzimage.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "vmm/bzimage_header.h"
#include "vmm/layout.h"

#define SECTOR_BYTES      512u
#define BOOT_FLAG         0xaa55
#define HEADER_MAGIC      0x53726448 /* "HdrS" */
#define VERSION_MIN       0x020c     /* xloadflags, and with them the 64-bit entry point */
#define LOADED_HIGH       (1u << 0)
#define XLF_KERNEL_64     (1u << 0)
#define DEFAULT_SECTS     4u /* what 0 means */
#define VERSION_MAX_BYTES 256
#define SIZE_BYTES        4u /* of the kernel unpacked */

/* What the checks have found out about a file. */
struct bzimage {
	const uint8_t *file;
	uint64_t size_bytes;
	struct setup_header h;
	uint64_t header_end; /* in the file */
	uint64_t kernel_off; /* of the protected-mode part */
};

bool bzimage_recognise(const uint8_t *file, size_t size_bytes)
{
	uint32_t magic;
	uint16_t flag;

	if (size_bytes < SETUP_FIELD_OFFSET(version))
		return false;
	memcpy(&flag, file + SETUP_FIELD_OFFSET(boot_flag), sizeof(flag));
	memcpy(&magic, file + SETUP_FIELD_OFFSET(header), sizeof(magic));
	return flag == BOOT_FLAG && magic == HEADER_MAGIC;
}

size_t bzimage_code_offset(const uint8_t *file)
{
	uint8_t sects = file[SETUP_FIELD_OFFSET(setup_sects)];

	return ((size_t)(sects ? sects : DEFAULT_SECTS) + 1) * SECTOR_BYTES;
}

/* The header as far as the file has it; the rest is zero. */
static void read_header(struct bzimage *b, const uint8_t *file, size_t size_bytes)
{
	uint64_t there = size_bytes - SETUP_HEADER_OFFSET;

	*b = (struct bzimage){.file = file, .size_bytes = size_bytes};
	memcpy(&b->h, file + SETUP_HEADER_OFFSET, there < sizeof(b->h) ? there : sizeof(b->h));
	b->header_end = SETUP_FIELD_OFFSET(header) + (b->h.jump >> 8);
	b->kernel_off = bzimage_code_offset(file);
}

static int check_header(const struct bzimage *b, struct err *e)
{
	const struct setup_header *h = &b->h;

	if (b->size_bytes < b->header_end || b->size_bytes < SETUP_FIELD_OFFSET(handover_offset))
		return err_set(e, EINVAL,
			       "the file (%" PRIu64 " bytes) ends within the setup header: it is "
			       "cut short",
			       b->size_bytes);
	if (h->version < VERSION_MIN)
		return err_set(e, ENOEXEC,
			       "boot protocol %u.%02u has no 64-bit entry point; 2.12 is needed "
			       "(Linux 3.8)",
			       h->version >> 8, h->version & 0xff);
	if (b->header_end < SETUP_FIELD_OFFSET(handover_offset) || b->header_end > SETUP_HEADER_MAX)
		return err_set(e, EINVAL,
			       "the setup header ends at %#" PRIx64 "; between %#zx and %#x is "
			       "right",
			       b->header_end, SETUP_FIELD_OFFSET(handover_offset),
			       SETUP_HEADER_MAX);
	if (!(h->loadflags & LOADED_HIGH))
		return err_set(e, ENOEXEC,
			       "a zImage, which loads below 1 MiB; a bzImage is needed");
	if (!(h->xloadflags & XLF_KERNEL_64))
		return err_set(e, ENOEXEC,
			       "a kernel without 64-bit entry point (xloadflags %#x), as 32-bit "
			       "Linux is; an x86-64 one is needed",
			       h->xloadflags);
	return 0;
}

/* Do the sizes in the header agree with the file's? */
static int check_sizes(const struct bzimage *b, struct err *e)
{
	const struct setup_header *h = &b->h;
	uint64_t kernel_bytes = b->size_bytes - b->kernel_off;

	if (b->kernel_off < b->header_end)
		return err_set(e, EINVAL,
			       "setup_sects %u puts the kernel at %#" PRIx64
			       ", into its own header",
			       h->setup_sects, b->kernel_off);
	if (b->kernel_off > b->size_bytes || kernel_bytes <= BZIMAGE_ENTRY_64)
		return err_set(e, EINVAL,
			       "setup_sects %u puts the kernel at %#" PRIx64 ", but the file has "
			       "%" PRIu64 " bytes: it is cut short",
			       h->setup_sects, b->kernel_off, b->size_bytes);
	if (kernel_bytes + 15 < (uint64_t)h->syssize * 16)
		return err_set(e, EINVAL,
			       "the kernel has %" PRIu64 " bytes, %" PRIu64 " of them are there: "
			       "the file is cut short",
			       (uint64_t)h->syssize * 16, kernel_bytes);
	if ((uint64_t)h->payload_offset + h->payload_length > kernel_bytes)
		return err_set(e, EINVAL,
			       "the compressed kernel (%u bytes at %#x) reaches past the file's "
			       "end: it is cut short",
			       h->payload_length, h->payload_offset);
	if (h->init_size < kernel_bytes)
		return err_set(e, EINVAL,
			       "init_size %u is less than the kernel's own %" PRIu64 " bytes",
			       h->init_size, kernel_bytes);
	return 0;
}

static int check_place(const struct bzimage *b, const struct mem *m, struct err *e)
{
	const struct setup_header *h = &b->h;
	uint64_t align = h->kernel_alignment, end = h->pref_address + h->init_size;

	if (!align || align & (align - 1))
		return err_set(e, EINVAL, "kernel_alignment %#x is not a power of two",
			       h->kernel_alignment);
	if (h->pref_address < LAYOUT_KERNEL_MIN || h->pref_address > UINT32_MAX ||
	    h->pref_address & (align - 1))
		return err_set(e, EINVAL,
			       "pref_address %#" PRIx64 " is not a multiple of %#" PRIx64
			       " from %#llx to 4 GiB",
			       h->pref_address, align, LAYOUT_KERNEL_MIN);
	if (end > mem_low_end(m).v)
		return err_set(e, EINVAL,
			       "the kernel unpacks into [%#" PRIx64 ", %#" PRIx64 "), guest RAM "
			       "ends at %#" PRIx64 ": give it more memory (-m %" PRIu64 "M)",
			       h->pref_address, end, mem_low_end(m).v, (end >> 20) + 64);
	return 0;
}

static int check_file(struct bzimage *b, const uint8_t *file, size_t size_bytes, struct err *e)
{
	int ret;

	read_header(b, file, size_bytes);
	ret = check_header(b, e);
	return ret ? ret : check_sizes(b, e);
}

static int check(struct bzimage *b, const struct mem *m, const uint8_t *file, size_t size_bytes,
		 struct err *e)
{
	int ret = check_file(b, file, size_bytes, e);

	return ret ? ret : check_place(b, m, e);
}

int bzimage_check_file(const uint8_t *file, size_t size_bytes, struct err *e)
{
	struct bzimage b;

	return check_file(&b, file, size_bytes, e);
}

int bzimage_check(const struct mem *m, const uint8_t *file, size_t size_bytes, struct err *e)
{
	struct bzimage b;

	return check(&b, m, file, size_bytes, e);
}

int bzimage_load(struct kernel_image *out, const struct mem *m, const uint8_t *file,
		 size_t size_bytes, struct err *e)
{
	struct load_plan plan = {.mem = m, .file = file, .file_bytes = size_bytes};
	struct load_request r = {0};
	struct bzimage b;
	int ret = check(&b, m, file, size_bytes, e);

	if (ret)
		return ret;
	r.base = b.h.pref_address;
	r.size_bytes = b.h.init_size;
	r.file_off = b.kernel_off;
	r.file_bytes = size_bytes - b.kernel_off;
	ret = load_plan_add(&plan, &r, e);
	if (ret)
		return ret;
	out->end = load_plan_execute(&plan);
	out->entry = gpa(b.h.pref_address + BZIMAGE_ENTRY_64);
	out->initrd_end = gpa((uint64_t)b.h.initrd_addr_max + 1);
	mem_write(m, gpa(LAYOUT_BOOT_PARAMS + SETUP_HEADER_OFFSET), file + SETUP_HEADER_OFFSET,
		  b.header_end - SETUP_HEADER_OFFSET);
	return 0;
}

const char *bzimage_version(const uint8_t *file, size_t size_bytes)
{
	struct bzimage b;
	uint64_t off;

	read_header(&b, file, size_bytes);
	off = (uint64_t)b.h.kernel_version + SECTOR_BYTES;
	if (!b.h.kernel_version || off >= size_bytes)
		return NULL;
	if (size_bytes - off > VERSION_MAX_BYTES)
		size_bytes = off + VERSION_MAX_BYTES;
	return memchr(file + off, '\0', size_bytes - off) ? (const char *)file + off : NULL;
}

const uint8_t *bzimage_payload(const uint8_t *file, size_t size_bytes, size_t *payload_bytes)
{
	struct bzimage b;
	uint64_t off;

	read_header(&b, file, size_bytes);
	off = b.kernel_off + b.h.payload_offset;
	if (!b.h.payload_length || off > size_bytes || b.h.payload_length > size_bytes - off)
		return NULL;
	*payload_bytes = b.h.payload_length;
	/* gzip ends with the size by itself; to the others Linux's build adds it. */
	if (b.h.payload_length > SIZE_BYTES && (file[off] != 0x1f || file[off + 1] != 0x8b))
		*payload_bytes -= SIZE_BYTES;
	return file + off;
}
