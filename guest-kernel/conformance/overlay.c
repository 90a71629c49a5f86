/* SPDX-License-Identifier: MIT */
/* Body "overlay": pages that the hypervisor shows over the guest's RAM. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

#define RAM_BYTE         0xa5
#define FEATURE_LOCK     (1u << 18)
#define HYPERCALL_LOCKED 2ull
#define INSN_RET         0xc3
#define CODE_BYTES_MAX   64
#define BEYOND_SPACE     (1ull << 51) /* no machine's guest physical addresses reach it */

static const struct overlay {
	const char *name;
	uint32_t msr;
	uint32_t gate;            /* of HYPERV_CPUID_FEATURES EAX */
	bool zero;                /* the page is all zero at first */
	bool carries;             /* the guest may write to it, and what it wrote moves along */
	const char *beyond_fault; /* addresses beyond RAM are refused: the assertion's name */
} overlays[] = {
	{"SIMP", HV_X64_MSR_SIMP, HV_MSR_SYNIC_AVAILABLE, true, true,
	 "SIMP: a page beyond the address space"},
	{"SIEFP", HV_X64_MSR_SIEFP, HV_MSR_SYNIC_AVAILABLE, true, true,
	 "SIEFP: a page beyond the address space"},
	{"REFERENCE_TSC", HV_X64_MSR_REFERENCE_TSC, HV_MSR_REFERENCE_TSC_AVAILABLE, false, false,
	 NULL},
};

static bool page_is(const uint8_t *page, uint8_t byte)
{
	unsigned i;

	for (i = 0; i < HV_HYP_PAGE_SIZE && page[i] == byte; i++)
		;
	return i == HV_HYP_PAGE_SIZE;
}

static void fill_ram(struct conf *c)
{
	memset(c->page[0], RAM_BYTE, HV_HYP_PAGE_SIZE);
	memset(c->page[1], RAM_BYTE, HV_HYP_PAGE_SIZE);
}

static void test_move(struct conf *c, const struct overlay *o)
{
	uint8_t *last = &c->page[0][HV_HYP_PAGE_SIZE - 1];

	*last = 0x5a;
	conf_write(c, o->msr, (uint64_t)c->page[1] | HV_PAGE_MSR_ENABLE);
	conf_ok(c, page_is(c->page[0], RAM_BYTE), "%s: moved away, RAM is back", o->name);
	if (o->carries)
		conf_equal(c, c->page[1][HV_HYP_PAGE_SIZE - 1], 0x5a,
			   "%s: its contents move with it", o->name);
	c->page[1][HV_HYP_PAGE_SIZE - 1] = 0;
}

static void test_overlay(struct conf *c, const struct overlay *o)
{
	uint64_t before = conf_read(c, o->msr), val;

	fill_ram(c);
	conf_write(c, o->msr, (uint64_t)c->page[0]);
	conf_ok(c, page_is(c->page[0], RAM_BYTE), "%s: an address alone leaves RAM as it is",
		o->name);
	conf_write(c, o->msr, (uint64_t)c->page[0] | HV_PAGE_MSR_ENABLE);
	val = conf_read(c, o->msr);
	conf_equal(c, val, (uint64_t)c->page[0] | HV_PAGE_MSR_ENABLE, "%s: enabled, reads back",
		   o->name);
	if (o->zero)
		conf_ok(c, page_is(c->page[0], 0), "%s: all zero when first shown", o->name);
	else
		conf_ok(c, !page_is(c->page[0], RAM_BYTE), "%s: hides the RAM", o->name);
	test_move(c, o);
	conf_write(c, o->msr, 0);
	conf_equal(c, conf_read(c, o->msr), 0, "%s: disabled, reads back", o->name);
	conf_ok(c, page_is(c->page[1], RAM_BYTE), "%s: disabled, RAM is back", o->name);
	if (o->beyond_fault)
		conf_write_faults(c, o->msr, BEYOND_SPACE | HV_PAGE_MSR_ENABLE, o->beyond_fault);
	conf_write(c, o->msr, before);
}

/* Up to the return; what follows is nobody's business. */
static uint32_t code_bytes(const uint8_t *page)
{
	uint32_t n = 0;

	while (page[n] != INSN_RET && n < CODE_BYTES_MAX - 1)
		n++;
	return n + 1;
}

/* The rest of this guest calls the page where it is, so it comes back there. */
static void test_hypercall_page(struct conf *c)
{
	const uint64_t home = conf_read(c, HV_X64_MSR_HYPERCALL);
	const uint8_t *page = kernel.hypervisor.hypercall_page;
	const uint32_t code = code_bytes(page);
	uint8_t first[CODE_BYTES_MAX];

	conf_equal(c, home & ~0xffeull, (uint64_t)page | HV_X64_MSR_HYPERCALL_ENABLE,
		   "HYPERCALL: enabled, reads back");
	memcpy(first, page, code);
	fill_ram(c);
	conf_write(c, HV_X64_MSR_HYPERCALL, (uint64_t)c->page[0] | HV_X64_MSR_HYPERCALL_ENABLE);
	conf_ok(c, memcmp(first, c->page[0], code) == 0, "HYPERCALL: moved, same code");
	conf_ok(c, page_is(page, 0), "HYPERCALL: moved away, RAM is back");
	conf_write_faults(c, HV_X64_MSR_HYPERCALL, BEYOND_SPACE | HV_X64_MSR_HYPERCALL_ENABLE,
			  "HYPERCALL: a page beyond the address space");
	conf_equal(c, conf_read(c, HV_X64_MSR_HYPERCALL),
		   (uint64_t)c->page[0] | HV_X64_MSR_HYPERCALL_ENABLE,
		   "HYPERCALL: a refused write changes nothing");
	conf_write(c, HV_X64_MSR_HYPERCALL, 0);
	conf_ok(c, page_is(c->page[0], RAM_BYTE), "HYPERCALL: disabled, RAM is back");
	conf_write(c, HV_X64_MSR_HYPERCALL, home);
	conf_ok(c, memcmp(first, page, code) == 0, "HYPERCALL: enabled again, same code");
}

/* Bit 1 locks the register where that is offered, and does nothing elsewhere. */
static void test_lock(struct conf *c)
{
	const uint64_t home = conf_read(c, HV_X64_MSR_HYPERCALL);

	if (conf_has_edx(c, FEATURE_LOCK)) {
		conf_skip(c, "a lock would stay", "HYPERCALL: bit 1");
		return;
	}
	cpu_wrmsr_safe(HV_X64_MSR_HYPERCALL, home | HYPERCALL_LOCKED);
	conf_write(c, HV_X64_MSR_HYPERCALL, 0);
	conf_equal(c, conf_read(c, HV_X64_MSR_HYPERCALL), 0,
		   "HYPERCALL: the lock is not offered: bit 1 locks nothing");
	conf_write(c, HV_X64_MSR_HYPERCALL, home);
}

/* Without an identity there are no hypercalls. */
static void test_identity(struct conf *c)
{
	const uint64_t home = conf_read(c, HV_X64_MSR_HYPERCALL);
	const uint64_t id = conf_read(c, HV_X64_MSR_GUEST_OS_ID);

	conf_write_works(c, HV_X64_MSR_GUEST_OS_ID, 0, "GUEST_OS_ID can be set to 0");
	conf_equal(c, conf_read(c, HV_X64_MSR_HYPERCALL) & HV_X64_MSR_HYPERCALL_ENABLE, 0,
		   "GUEST_OS_ID 0 disables HYPERCALL");
	conf_write_works(c, HV_X64_MSR_HYPERCALL, home,
			 "GUEST_OS_ID 0: enabling HYPERCALL: no #GP");
	conf_equal(c, conf_read(c, HV_X64_MSR_HYPERCALL) & HV_X64_MSR_HYPERCALL_ENABLE, 0,
		   "GUEST_OS_ID 0: HYPERCALL stays disabled");
	conf_write(c, HV_X64_MSR_GUEST_OS_ID, id);
	conf_write(c, HV_X64_MSR_HYPERCALL, home);
	conf_equal(c, conf_read(c, HV_X64_MSR_HYPERCALL), home,
		   "GUEST_OS_ID is back: HYPERCALL can be enabled");
}

void conf_overlay(struct conf *c)
{
	const struct overlay *o;

	for (o = overlays; o < overlays + sizeof(overlays) / sizeof(overlays[0]); o++) {
		if (conf_has_eax(c, o->gate))
			test_overlay(c, o);
		else
			conf_skip(c, "not offered", "%s", o->name);
	}
	test_hypercall_page(c);
	test_lock(c);
	test_identity(c);
}
