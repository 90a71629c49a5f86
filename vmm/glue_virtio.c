/* SPDX-License-Identifier: MIT */
/* The virtio devices that the configuration asks for, in the order of their slots. */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "devices/virtio/rng.h"
#include "vmm/virtio_slot.h"

#define RANDOM_MAX 256 /* what getrandom() never interrupts */

struct rng_dev {
	struct virtio_slot slot;
	struct virtio_rng core;
};

static size_t fill_random(void *dst, size_t size_bytes)
{
	size_t done = 0;

	while (done < size_bytes) {
		size_t part = size_bytes - done < RANDOM_MAX ? size_bytes - done : RANDOM_MAX;

		if (getrandom((uint8_t *)dst + done, part, 0) != (ssize_t)part)
			break;
		done += part;
	}
	return done;
}

static int rng_dev_make(struct machine *m, unsigned index, void **state, struct err *e)
{
	struct rng_dev *d = glue_new(sizeof(*d), m, state, e);
	struct guest_memory mem = glue_memory(m);

	(void)index;
	if (!d)
		return -ENOMEM;
	virtio_rng_init(&d->core, fill_random, &mem, virtio_slot_interrupt, &d->slot);
	return virtio_slot_init(&d->slot, &d->core.transport, NULL, e);
}

static unsigned disks(const struct vm_config *cfg)
{
	return cfg->disk_count;
}

static unsigned shares(const struct vm_config *cfg)
{
	return cfg->share_count;
}

static unsigned nets(const struct vm_config *cfg)
{
	return cfg->net != NULL;
}

static unsigned hvcs(const struct vm_config *cfg)
{
	return cfg->hvc.kind != CONSOLE_NONE;
}

static unsigned rngs(const struct vm_config *cfg)
{
	return cfg->rng;
}

static const struct {
	unsigned (*count)(const struct vm_config *cfg);
	int (*make)(struct machine *m, unsigned index, void **state, struct err *e);
	const char *module; /* of Linux, which drives it */
} kinds[] = {
	{disks, disk_dev_make, "virtio_blk"},   {shares, share_dev_make, "virtiofs"},
	{nets, net_dev_make, "virtio_net"},     {rngs, rng_dev_make, "virtio_rng"},
	{hvcs, hvc_dev_make, "virtio_console"},
};

#define KINDS            (sizeof(kinds) / sizeof(kinds[0]))
#define TRANSPORT_MODULE "virtio_mmio"

_Static_assert(KINDS + 1 <= VIRTIO_MODULES_MAX, "room for all, and the transport's");

unsigned virtio_slots(const struct vm_config *cfg)
{
	unsigned n = 0;

	for (size_t k = 0; k < KINDS; k++)
		n += kinds[k].count(cfg);
	return n;
}

size_t virtio_modules(const struct vm_config *cfg, const char *names[VIRTIO_MODULES_MAX])
{
	size_t n = 0;

	if (!cfg || virtio_slots(cfg))
		names[n++] = TRANSPORT_MODULE;
	for (size_t k = 0; k < KINDS; k++)
		if (!cfg || kinds[k].count(cfg))
			names[n++] = kinds[k].module;
	return n;
}

/* Each begins with a struct virtio_slot. */
struct virtio_devices {
	void *dev[VIRTIO_SLOTS_MAX];
};

static int virtio_init(struct machine *m, void **state, struct err *e)
{
	unsigned slots = virtio_slots(m->cfg), n = 0;
	struct virtio_devices *list;
	int ret = 0;

	if (slots == 0)
		return 0;
	if (slots > VIRTIO_SLOTS_MAX)
		return err_set(e, ENOSPC, "%u virtio devices; there is room for %d", slots,
			       VIRTIO_SLOTS_MAX);
	list = calloc(1, sizeof(*list));
	if (!list)
		return err_set(e, ENOMEM, "out of memory");
	*state = list;
	for (size_t k = 0; k < KINDS; k++)
		for (unsigned i = 0; ret == 0 && i < kinds[k].count(m->cfg); i++)
			ret = kinds[k].make(m, i, &list->dev[n++], e);
	return ret;
}

static void virtio_fini(void *state)
{
	struct virtio_devices *list = state;

	for (unsigned i = 0; list && i < VIRTIO_SLOTS_MAX; i++) {
		if (list->dev[i])
			virtio_slot_fini(list->dev[i]);
		glue_free(list->dev[i]);
	}
	free(list);
}

const struct device_ops virtio_device = {"virtio", virtio_init, virtio_fini};
