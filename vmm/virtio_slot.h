/* SPDX-License-Identifier: MIT */
/*
 * A virtio device in the machine: its window of registers, its interrupt, and the thread that serves
 * its queues. The driver's notifications wake that thread through ioeventfds, so a VP does not wait
 * for a device.
 */
#ifndef VPUP_VMM_VIRTIO_SLOT_H
#define VPUP_VMM_VIRTIO_SLOT_H

#include <poll.h>

#include "devices/virtio/mmio.h"
#include "vmm/glue.h"

#define VIRTIO_SLOTS_MAX 8 /* one I/O APIC pin each, 16 to 23 */
#define VIRTIO_POLL_MAX  64

/*
 * What a device waits for beside its queues. dev is the slot, with which the device begins. All
 * functions are called with its lock held.
 */
struct virtio_source {
	/* Lists what to wait for, and lowers *timeout_ms (-1: none). Returns the number of entries. */
	unsigned (*prepare)(void *dev, struct pollfd *fds, unsigned room, int *timeout_ms);
	/* The wait is over, with what was listed. */
	void (*ready)(void *dev, const struct pollfd *fds, unsigned count);
};

struct virtio_slot {
	struct glue glue; /* its lock is over the transport and the device behind it */
	struct virtio_mmio *transport;
	const struct virtio_source *source; /* or NULL */
	void (*release)(void *dev);         /* what else the device holds; or NULL */
	unsigned index;
	int irq_fd;
	int stop_fd;
	int kick_fd[VIRTIO_QUEUES_MAX];
	bool running;
	pthread_t thread;
};

/* virtio_mmio_init()'s interrupt(); ctx is the slot. */
void virtio_slot_interrupt(void *ctx);

/*
 * Puts an initialised transport into the next free slot of the machine and starts its thread. Returns 0
 * or -errno with e set; s, of zeroes or from glue_new(), is valid for virtio_slot_fini() either way.
 */
int virtio_slot_init(struct virtio_slot *s, struct virtio_mmio *transport,
		     const struct virtio_source *source, struct err *e);

/* Ends the thread and closes what the slot opened; does not free it. */
void virtio_slot_fini(struct virtio_slot *s);

/*
 * Device number `index` of its kind, with what the machine has open for it. *state is for
 * virtio_slot_fini() and glue_free() whatever is returned: 0, or -errno with e set.
 */
int disk_dev_make(struct machine *m, unsigned index, void **state, struct err *e);
int share_dev_make(struct machine *m, unsigned index, void **state, struct err *e);
int hvc_dev_make(struct machine *m, unsigned index, void **state, struct err *e);
int net_dev_make(struct machine *m, unsigned index, void **state, struct err *e);

#endif
