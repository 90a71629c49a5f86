/* SPDX-License-Identifier: MIT */
/* A host for hyperv/ without a VM: a piece of RAM that starts above 0, a settable clock, counts. */
#ifndef VPUP_TESTS_UNIT_FAKE_HV_HOST_H
#define VPUP_TESTS_UNIT_FAKE_HV_HOST_H

#include <stdatomic.h>

#include "hyperv/hv.h"

#define FAKE_RAM_BASE  0x10000ull
#define FAKE_RAM_PAGES 8
/* Half a page follows the last whole one: RAM, but no place for an overlay. */
#define FAKE_RAM_SIZE (FAKE_RAM_PAGES * HV_HYP_PAGE_SIZE + HV_HYP_PAGE_SIZE / 2)

struct fake_hv_host {
	uint8_t *ram;
	_Atomic uint64_t now_100ns;
	_Atomic unsigned resets;
};

extern const struct hv_host_ops fake_hv_host_ops;

/* RAM is filled so that each byte tells its page and its place in it. */
void fake_hv_host_init(struct fake_hv_host *h);
void fake_hv_host_fini(struct fake_hv_host *h);

/* GPA of the nth page of RAM, and the host's view of it. */
uint64_t fake_page_gpa(unsigned page);
uint8_t *fake_page(struct fake_hv_host *h, unsigned page);

/* Whether RAM (all of it, or one page) is as fake_hv_host_init() left it. */
bool fake_ram_pristine(const struct fake_hv_host *h);
bool fake_page_pristine(const struct fake_hv_host *h, unsigned page);

#endif
