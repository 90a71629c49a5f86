/* SPDX-License-Identifier: MIT */
/* A host for hyperv/ without a VM. */
#include "tests/unit/fake_hv_host.h"

#include <check.h>
#include <stdlib.h>

static void *gpa_ptr(void *ctx, uint64_t gpa, uint64_t size)
{
	struct fake_hv_host *h = ctx;
	uint64_t off = gpa - FAKE_RAM_BASE;

	if (gpa < FAKE_RAM_BASE || off >= FAKE_RAM_SIZE || size > FAKE_RAM_SIZE - off)
		return NULL;
	return h->ram + off;
}

static uint64_t ref_time_100ns(void *ctx)
{
	struct fake_hv_host *h = ctx;

	return atomic_load(&h->now_100ns);
}

static void reset(void *ctx)
{
	struct fake_hv_host *h = ctx;

	atomic_fetch_add(&h->resets, 1);
}

const struct hv_host_ops fake_hv_host_ops = {
	.gpa_ptr = gpa_ptr,
	.ref_time_100ns = ref_time_100ns,
	.reset = reset,
};

static uint8_t pristine_byte(size_t off)
{
	return (off / HV_HYP_PAGE_SIZE + 1) * 31 + off;
}

void fake_hv_host_init(struct fake_hv_host *h)
{
	/* On the heap and no larger than promised, so that ASan sees a step past its end. */
	*h = (struct fake_hv_host){.ram = malloc(FAKE_RAM_SIZE)};
	ck_assert_ptr_nonnull(h->ram);
	for (size_t i = 0; i < FAKE_RAM_SIZE; i++)
		h->ram[i] = pristine_byte(i);
}

void fake_hv_host_fini(struct fake_hv_host *h)
{
	free(h->ram);
	h->ram = NULL;
}

uint64_t fake_page_gpa(unsigned page)
{
	return FAKE_RAM_BASE + (uint64_t)page * HV_HYP_PAGE_SIZE;
}

uint8_t *fake_page(struct fake_hv_host *h, unsigned page)
{
	return h->ram + (size_t)page * HV_HYP_PAGE_SIZE;
}

static bool range_pristine(const struct fake_hv_host *h, size_t off, size_t end)
{
	while (off < end && h->ram[off] == pristine_byte(off))
		off++;
	return off == end;
}

bool fake_ram_pristine(const struct fake_hv_host *h)
{
	return range_pristine(h, 0, FAKE_RAM_SIZE);
}

bool fake_page_pristine(const struct fake_hv_host *h, unsigned page)
{
	size_t off = (size_t)page * HV_HYP_PAGE_SIZE;

	return range_pristine(h, off, off + HV_HYP_PAGE_SIZE);
}
