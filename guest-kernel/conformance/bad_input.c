/* SPDX-License-Identifier: MIT */
/*
 * Body "bad-input": what no sane guest does. The answer may be #GP, a status or nothing at all; what
 * is asked for is that the hypervisor gets over it, and nothing else breaks.
 */
#include "guest-kernel/conformance/synic_vp.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

#define CONNECTION_NONE 0x00123456u
#define LOCAL_APIC      0xfee00000ull
#define IO_APIC         0xfec00000ull
#define HIGHEST_PAGE    0xfffffffffffff000ull
#define RAM_BYTE        0x5a
#define SINT            2
#define MS              10000u /* in 100 ns */
#define STORM_US        20000

/* Registers, legal values of them, and bits that are reserved there. */
static const struct {
	const char *name;
	uint32_t msr;
	uint32_t gate; /* of HYPERV_CPUID_FEATURES EAX */
	uint64_t legal, reserved;
} reserved_bits[] = {
	{"SCONTROL", HV_X64_MSR_SCONTROL, HV_MSR_SYNIC_AVAILABLE, HV_SYNIC_CONTROL_ENABLE, ~1ull},
	{"SINT3", HV_X64_MSR_SINT0 + 3, HV_MSR_SYNIC_AVAILABLE, HV_SYNIC_SINT_MASKED | 0x42,
	 0xfffffffffff8ff00ull},
	{"SIMP", HV_X64_MSR_SIMP, HV_MSR_SYNIC_AVAILABLE, 0, 0xffe},
	{"SIEFP", HV_X64_MSR_SIEFP, HV_MSR_SYNIC_AVAILABLE, 0, 0xffe},
	{"REFERENCE_TSC", HV_X64_MSR_REFERENCE_TSC, HV_MSR_REFERENCE_TSC_AVAILABLE, 0, 0xffe},
	{"STIMER0_CONFIG", HV_X64_MSR_STIMER0_CONFIG, HV_MSR_SYNTIMER_AVAILABLE, 2ull << 16,
	 7ull << 13 | ~0ull << 20},
	{"RESET", HV_X64_MSR_RESET, HV_MSR_RESET_AVAILABLE, 0, ~1ull},
	{"REENLIGHTENMENT_CONTROL", HV_X64_MSR_REENLIGHTENMENT_CONTROL, HV_ACCESS_REENLIGHTENMENT,
	 0x42, 0xff00},
};

/* Refused as a whole, or the rest of the value counts. */
static void test_reserved_bits(struct conf *c)
{
	size_t i;

	for (i = 0; i < sizeof(reserved_bits) / sizeof(reserved_bits[0]); i++) {
		uint32_t msr = reserved_bits[i].msr;
		uint64_t reserved = reserved_bits[i].reserved, before, val;
		int vector;

		if (!conf_has_eax(c, reserved_bits[i].gate))
			continue;
		before = conf_read(c, msr);
		vector = cpu_wrmsr_safe(msr, reserved_bits[i].legal | reserved);
		val = conf_read(c, msr);
		if (vector)
			conf_ok(c, vector == TRAP_GP && val == before,
				"%s: reserved bits: #GP and no change, or the others count",
				reserved_bits[i].name);
		else
			conf_ok(c, (val & ~reserved) == (reserved_bits[i].legal & ~reserved),
				"%s: reserved bits: #GP and no change, or the others count",
				reserved_bits[i].name);
		conf_write(c, msr, before);
	}
}

/* The value may be refused or taken; afterwards the register works as before. */
static void test_wild_page(struct conf *c, uint64_t gpa, const char *what)
{
	bool still_works;

	cpu_wrmsr_safe(HV_X64_MSR_SIMP, gpa | HV_PAGE_MSR_ENABLE);
	cpu_wrmsr_safe(HV_X64_MSR_SIMP, 0);
	conf_write(c, HV_X64_MSR_SIMP, (uint64_t)c->page[0] | HV_PAGE_MSR_ENABLE);
	memset(c->page[0], 0, HV_HYP_PAGE_SIZE);
	conf_irqs_clear(c);
	synic_post(c, 0, SINT);
	still_works = conf_irqs_wait(c, 0, 0, 1) == 1 && synic_slot(c, SINT)->type != HVMSG_NONE;
	conf_ok(c, still_works, "SIMP over %s: afterwards messages arrive as before", what);
	synic_free(c, SINT);
}

static void fill(uint8_t *page)
{
	memset(page, RAM_BYTE, HV_HYP_PAGE_SIZE);
}

static bool is_filled(const uint8_t *page)
{
	unsigned i;

	for (i = 0; i < HV_HYP_PAGE_SIZE && page[i] == RAM_BYTE; i++)
		;
	return i == HV_HYP_PAGE_SIZE;
}

/* Which of both is seen is undefined. */
static void test_overlap(struct conf *c)
{
	fill(c->page[2]);
	cpu_wrmsr_safe(HV_X64_MSR_SIEFP, 0);
	cpu_wrmsr_safe(HV_X64_MSR_SIMP, (uint64_t)c->page[2] | HV_PAGE_MSR_ENABLE);
	cpu_wrmsr_safe(HV_X64_MSR_SIEFP, (uint64_t)c->page[2] | HV_PAGE_MSR_ENABLE);
	cpu_wrmsr_safe(HV_X64_MSR_SIMP, 0);
	cpu_wrmsr_safe(HV_X64_MSR_SIEFP, 0);
	conf_ok(c, is_filled(c->page[2]), "SIMP and SIEFP over one page: its RAM comes back");
	conf_write(c, HV_X64_MSR_SIEFP, (uint64_t)c->page[1] | HV_PAGE_MSR_ENABLE);
	conf_write(c, HV_X64_MSR_SIMP, (uint64_t)c->page[0] | HV_PAGE_MSR_ENABLE);
	memset(c->page[0], 0, HV_HYP_PAGE_SIZE);
}

static uint64_t direct(unsigned vector)
{
	return HV_STIMER_DIRECT | (uint64_t)vector << HV_STIMER_APIC_VECTOR_SHIFT;
}

/* Stops the timer and forgets what came of it, so that each test stands for itself. */
static void timer_end(struct conf *c)
{
	stimer_off(c, 0);
	synic_free(c, SINT);
	conf_irqs_clear(c);
}

static void test_timers(struct conf *c)
{
	synic_sint(c, SINT, 0, 0);
	stimer_set(c, 0, stimer_to_sint(SINT) | HV_STIMER_PERIODIC, 1);
	conf_delay_us(STORM_US);
	timer_end(c);
	conf_delay_us(STORM_US);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "a period of 100 ns: the guest gets to stop it");
	stimer_set(c, 0, stimer_to_sint(SINT) | HV_STIMER_PERIODIC, UINT64_MAX);
	conf_delay_us(STORM_US);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "a period of 2^64 - 1: nothing comes");
	timer_end(c);
	stimer_set(c, 0, stimer_to_sint(SINT) | HV_STIMER_PERIODIC, 0);
	conf_delay_us(STORM_US);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "a period of 0: nothing comes");
	timer_end(c);
	if (!conf_has_edx(c, HV_STIMER_DIRECT_MODE_AVAILABLE))
		return;
	cpu_wrmsr_safe(HV_X64_MSR_STIMER0_COUNT, 1);
	conf_note(c, "direct mode with vector 15: %s",
		  cpu_wrmsr_safe(HV_X64_MSR_STIMER0_CONFIG, direct(15) | HV_STIMER_ENABLE)
			  ? "#GP"
			  : "accepted");
	stimer_off(c, 0);
	stimer_set(c, 0, direct(CONF_VECTOR) | HV_STIMER_ENABLE, 1);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1,
		   "direct mode with vector 15: afterwards the timer works");
	stimer_off(c, 0);
}

/* A word with one bit or value of each field, as n's bits say; SignalEvent to no connection. */
static uint64_t control_word(unsigned n)
{
	static const uint64_t field[] = {
		HV_HYPERCALL_FAST_BIT,
		1ull << HV_HYPERCALL_VARHEAD_OFFSET,
		HV_HYPERCALL_RSVD0_MASK,
		HV_HYPERCALL_NESTED,
		1ull << HV_HYPERCALL_REP_COMP_OFFSET,
		HV_HYPERCALL_RSVD1_MASK,
		1ull << HV_HYPERCALL_REP_START_OFFSET,
		HV_HYPERCALL_RSVD2_MASK,
	};
	uint64_t word = HVCALL_SIGNAL_EVENT;
	unsigned i;

	for (i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		word |= n >> i & 1 ? field[i] : 0;
	return word;
}

static void test_control_words(struct conf *c)
{
	struct hv_input_signal_event *in = (void *)c->page[4];
	uint32_t n, wrong = 0;

	*in = (struct hv_input_signal_event){.connection_id = CONNECTION_NONE};
	for (n = 0; n < 256; n++) {
		uint64_t word = control_word(n);
		bool fast = word & HV_HYPERCALL_FAST_BIT;
		uint64_t r = conf_call(c, word, fast ? CONNECTION_NONE : (uint64_t)in, 0);

		wrong += r != (n <= 1 ? HV_STATUS_INVALID_CONNECTION_ID
				      : HV_STATUS_INVALID_HYPERCALL_INPUT);
	}
	conf_equal(c, wrong, 0,
		   "control word: each combination of its fields has the right status");
}

static void test_addresses(struct conf *c)
{
	static const uint64_t address[] = {LOCAL_APIC, IO_APIC, HIGHEST_PAGE, 1ull << 63,
					   1ull << 52};
	size_t i;
	uint32_t refused = 0;

	for (i = 0; i < sizeof(address) / sizeof(address[0]); i++)
		refused += (conf_call(c, HVCALL_POST_MESSAGE, address[i], 0) &
			    HV_HYPERCALL_RESULT_MASK) != HV_STATUS_SUCCESS;
	conf_equal(c, refused, sizeof(address) / sizeof(address[0]),
		   "input that is no RAM: refused wherever it is");
}

static void test_synic(struct conf *c)
{
	struct synic_vp s;

	synic_open(c, &s);
	synic_sint(c, SINT, 0, 0);
	test_wild_page(c, LOCAL_APIC, "the local APIC");
	test_wild_page(c, IO_APIC, "the I/O APIC");
	test_wild_page(c, HIGHEST_PAGE, "the highest page");
	test_overlap(c);
	test_timers(c);
	synic_close(c, &s);
}

void conf_bad_input(struct conf *c)
{
	test_reserved_bits(c);
	if (conf_has_eax(c, HV_MSR_SYNIC_AVAILABLE | HV_MSR_SYNTIMER_AVAILABLE))
		test_synic(c);
	else
		conf_skip(c, "no SynIC with timers", "pages and timers");
	if (!c->call_page) {
		conf_skip(c, c->no_calls, "hypercalls");
	} else if (conf_has_ebx(c, HV_SIGNAL_EVENTS | HV_POST_MESSAGES)) {
		test_control_words(c);
		test_addresses(c);
	} else {
		conf_skip(c, "no SignalEvent", "hypercalls");
	}
}
