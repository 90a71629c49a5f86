/* SPDX-License-Identifier: MIT */
/* Chooses L1's kernel, unpacks it, and checks that its modules are its own. */
#include "lab/l1_kernel.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lab/store.h"
#include "vmm/bzimage.h"
#include "vmm/cache_dir.h"
#include "vmm/file.h"
#include "vmm/unpack.h"

#define KERNEL_BYTES_MAX (512u << 20)
#define VMLINUX_KIND     "vmlinux"
#define DEFAULT_IN_CACHE "6.1"

struct place {
	char *kernel;  /* owned */
	char *modules; /* owned */
};

static void place_fini(struct place *p)
{
	free(p->kernel);
	free(p->modules);
	*p = (struct place){0};
}

static int place_set(struct place *p, const char *kernel, const char *modules, struct err *e)
{
	p->kernel = strdup(kernel);
	p->modules = strdup(modules);
	return p->kernel && p->modules ? 0 : err_set(e, ENOMEM, "out of memory");
}

static int place_cached(struct place *p, struct cache *c, const char *version, const char *modules,
			struct err *e)
{
	int ret = store_find(c, version, &p->kernel, &p->modules, e);

	if (ret == 0 && modules) {
		free(p->modules);
		p->modules = strdup(modules);
	}
	return ret == 0 && !p->modules ? err_set(e, ENOMEM, "out of memory") : ret;
}

/* This machine's own, if its KVM is made of modules that can be read. */
static bool place_own(struct place *p, const char *kvm_module)
{
	struct modules found = {0};
	struct utsname u;
	bool ok = false;

	if (uname(&u) || asprintf(&p->kernel, "/boot/vmlinuz-%s", u.release) < 0)
		return false;
	if (asprintf(&p->modules, "/lib/modules/%s", u.release) < 0)
		p->modules = NULL;
	if (p->modules && access(p->kernel, R_OK) == 0)
		ok = modules_add(&found, p->modules, kvm_module, NULL) == 0;
	modules_fini(&found);
	if (!ok)
		place_fini(p);
	return ok;
}

static int place_find(struct place *p, struct cache *c, const struct l1_kernel_wanted *w,
		      struct err *e)
{
	if (!w->kernel && w->modules)
		return err_set(e, EINVAL, "--l1-modules needs --l1-kernel, whose modules they are");
	if (w->kernel && kernel_name_is_cached(w->kernel))
		return place_cached(p, c, strchr(w->kernel, ':') + 1, w->modules, e);
	if (w->kernel && !w->modules)
		return err_set(e, EINVAL,
			       "--l1-kernel needs --l1-modules: the kernel's /lib/modules/VERSION");
	if (w->kernel)
		return place_set(p, w->kernel, w->modules, e);
	if (place_own(p, w->kvm_module))
		return 0;
	return place_cached(p, c, DEFAULT_IN_CACHE, NULL, e);
}

static bool is_elf64(const uint8_t *data, size_t size_bytes)
{
	return size_bytes > EI_CLASS && memcmp(data, ELFMAG, SELFMAG) == 0 &&
	       data[EI_CLASS] == ELFCLASS64;
}

/* An ELF file that says where it is to be entered by the PVH protocol (Xen, elfnote.h). */
static bool is_pvh_elf(const uint8_t *data, size_t size_bytes)
{
	static const uint8_t type_and_owner[] = {18, 0, 0, 0, 'X', 'e', 'n', 0};

	return is_elf64(data, size_bytes) &&
	       memmem(data, size_bytes, type_and_owner, sizeof(type_and_owner));
}

/* Nothing is missing at its end, where the section headers are. */
static bool is_whole_elf(const uint8_t *data, size_t size_bytes)
{
	Elf64_Ehdr h;

	if (size_bytes < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	return h.e_shoff <= size_bytes &&
	       (size_t)h.e_shnum * h.e_shentsize <= size_bytes - h.e_shoff;
}

/* The kernel within a bzImage: the guest would take a second or more to unpack it. */
static int unpack_bzimage(struct l1_kernel *k, struct cache *c, struct digest key, struct err *e)
{
	size_t packed_bytes, size = 0;
	const uint8_t *packed = bzimage_payload(k->data, k->size_bytes, &packed_bytes);
	uint8_t *data = NULL;
	struct err why = {.text = "is cut short by damage"};
	int ret = packed ? unpack(packed, packed_bytes, KERNEL_BYTES_MAX, &data, &size, &why) : 0;

	if (ret == -EBADMSG || (is_elf64(data, size) && !is_whole_elf(data, size))) {
		free(data);
		return err_set(e, EINVAL, "its compressed part %.150s", why.text);
	}
	if (!is_pvh_elf(data, size)) {
		free(data);
		return 0; /* it boots as it is */
	}
	free(k->data);
	k->data = data;
	k->size_bytes = size;
	cache_put(c, VMLINUX_KIND, key, data, size, NULL); /* no room: once more next time */
	return 0;
}

static int use_vmlinux(struct l1_kernel *k, struct cache *c, struct err *e)
{
	struct digest key = digest_of(k->data, k->size_bytes);
	uint8_t *data;
	size_t size;

	if (cache_get(c, VMLINUX_KIND, key, &data, &size) == 0) {
		free(k->data);
		k->data = data;
		k->size_bytes = size;
		return 0;
	}
	return unpack_bzimage(k, c, key, e);
}

/* Was the last module, which needs the others, built for the kernel of that version? */
static int check_modules(const struct modules *m, const char *version, const struct place *p,
			 struct err *e)
{
	const struct module *last = &m->module[m->count - 1];
	const char *magic = m->count ? module_vermagic(last->data, last->size_bytes) : NULL;
	size_t length = version ? strcspn(version, " ") : 0;

	if (!magic || !length ||
	    (strncmp(magic, version, length) == 0 && (magic[length] == ' ' || !magic[length])))
		return 0;
	return err_set(e, EINVAL, "the modules in '%.80s' are for %.*s, the kernel '%.80s' is %.*s",
		       p->modules, (int)strcspn(magic, " "), magic, p->kernel, (int)length,
		       version);
}

/* Damage shows here in a line; L1's firmware and decompressor would be silent about it. */
static int check_whole(const struct l1_kernel *k, bool bzimage, struct err *e)
{
	if (bzimage)
		return bzimage_check_file(k->data, k->size_bytes, e);
	if (!is_pvh_elf(k->data, k->size_bytes))
		return err_set(e, EINVAL, "it is no bzImage and no PVH ELF file");
	return is_whole_elf(k->data, k->size_bytes) ? 0
						    : err_set(e, EINVAL, "the file is cut short");
}

static int read_place(struct l1_kernel *k, struct cache *c, const struct place *p,
		      const char *kvm_module, struct err *e)
{
	bool bzimage;
	struct err why;
	int ret = file_read(p->kernel, KERNEL_BYTES_MAX, &k->data, &k->size_bytes, &why);

	if (ret)
		return err_set(e, -ret, "L1 kernel: %s", why.text);
	bzimage = bzimage_recognise(k->data, k->size_bytes);
	if (check_whole(k, bzimage, &why))
		return err_set(e, EINVAL, "L1 kernel '%.180s': %s", p->kernel, why.text);
	ret = modules_add(&k->modules, p->modules, kvm_module, &why);
	if (ret)
		return err_set(e, -ret, "L1 modules: %s", why.text);
	if (!bzimage)
		return 0;
	ret = check_modules(&k->modules, bzimage_version(k->data, k->size_bytes), p, e);
	if (ret == 0 && use_vmlinux(k, c, &why))
		ret = err_set(e, EINVAL, "L1 kernel '%.180s': %s", p->kernel, why.text);
	return ret;
}

int l1_kernel_get(struct l1_kernel *k, struct cache *c, const struct l1_kernel_wanted *wanted,
		  struct err *e)
{
	struct place p = {0};
	int ret;

	*k = (struct l1_kernel){0};
	ret = place_find(&p, c, wanted, e);
	if (ret == 0)
		ret = read_place(k, c, &p, wanted->kvm_module, e);
	place_fini(&p);
	return ret;
}

void l1_kernel_fini(struct l1_kernel *k)
{
	free(k->data);
	modules_fini(&k->modules);
	*k = (struct l1_kernel){0};
}
