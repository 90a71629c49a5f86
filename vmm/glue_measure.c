/* SPDX-License-Identifier: MIT */
/* The port through which the guest has bare exits timed between its own: guest-kernel/abi/measure.h. */
#include <errno.h>

#include "guest-kernel/abi/measure.h"
#include "vmm/bare_exit.h"
#include "vmm/glue.h"
#include "vmm/layout.h"

_Static_assert(LAYOUT_PORT_MEASURE == MEASURE_PORT, "the guest's port");

struct measure_dev {
	struct glue glue;
	struct bare_exit *bare; /* made when it is first asked for */
};

static int time_batch(struct measure_dev *d, unsigned operations, struct err *e)
{
	struct bare_batches *b = &d->glue.m->record->bare;
	int ret = d->bare ? 0 : bare_exit_open(&d->bare, e);

	if (ret == 0)
		ret = bare_exit_batch(d->bare, operations, &b->batch[b->count].tsc_cycles, e);
	if (ret)
		return ret;
	b->batch[b->count++].operations = operations;
	return 0;
}

/* On the VP's own thread, so that both run on one CPU. What does not fit is not measured. */
static enum io_status measure_access(void *dev, struct io_access *a)
{
	struct measure_dev *d = dev;
	struct machine *m = d->glue.m;
	struct err e;

	if (!a->is_write)
		return IO_UNCLAIMED;
	pthread_mutex_lock(&d->glue.lock);
	if (a->val && m->record->bare.count < BARE_BATCHES_MAX &&
	    time_batch(d, (uint8_t)a->val, &e))
		outcome_set(&m->outcome, OUTCOME_HOST_ERROR, 0, "bare exits: %s", e.text);
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

/* Nobody would see the result without a document. */
static int measure_init(struct machine *m, void **state, struct err *e)
{
	struct measure_dev *d;

	if (!m->cfg->json)
		return 0;
	d = glue_new(sizeof(*d), m, state, e);
	if (!d)
		return -ENOMEM;
	return bus_claim(&m->pio, &(struct io_range){
					  .name = "bare exits",
					  .base = LAYOUT_PORT_MEASURE,
					  .last = LAYOUT_PORT_MEASURE,
					  .fn = measure_access,
					  .dev = d,
				  });
}

static void measure_fini(void *state)
{
	struct measure_dev *d = state;

	if (d)
		bare_exit_close(d->bare);
	glue_free(state);
}

const struct device_ops measure_device = {"bare exits", measure_init, measure_fini};
