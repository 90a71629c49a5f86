/* SPDX-License-Identifier: MIT */
/* Hypercalls: control words, where parameters lie, and what each call does. */
#include "tests/unit/loops.h"
#include "tests/unit/suites.h"
#include "hyperv/hv.h"

#include <string.h>

#include "tests/unit/hv_fixture.h"

#define VPS  4
#define FAST HV_HYPERCALL_FAST_BIT
#define UD   UINT64_MAX /* beside the result values */
#define IN   2          /* pages of RAM for input and output */
#define OUT  3

#define VAR(qwords)     ((uint64_t)(qwords) << HV_HYPERCALL_VARHEAD_OFFSET)
#define REPS(n)         ((uint64_t)(n) << HV_HYPERCALL_REP_COMP_OFFSET)
#define START(n)        ((uint64_t)(n) << HV_HYPERCALL_REP_START_OFFSET)
#define DONE(n, status) (REPS(n) | (status))

static struct hv_fixture f;

static void setup(void)
{
	hv_fixture_init(&f, VPS);
}

static void teardown(void)
{
	hv_fixture_fini(&f);
}

static uint64_t call_at(uint64_t control, uint64_t rdx, uint64_t r8)
{
	struct hv_hypercall_regs r = {.rcx = control, .rdx = rdx, .r8 = r8, .rax = 0x5a5a};

	if (hv_hypercall(f.p, 1, &r) == HV_HYPERCALL_UD) {
		ck_assert_uint_eq(r.rax, 0x5a5a);
		return UD;
	}
	return r.rax;
}

/* In memory, with input at the start of its page. */
static uint64_t call(uint64_t control, const void *in, size_t size)
{
	memcpy(fake_page(&f.host, IN), in, size);
	return call_at(control, fake_page_gpa(IN), fake_page_gpa(OUT));
}

static uint32_t irqs_of(uint32_t vp)
{
	return atomic_load(&f.host.irqs[vp]);
}

static void without(enum hv_feature feature)
{
	hv_partition_free(f.p);
	f.cfg.features.on &= ~HV_FEATURE_BIT(feature);
	f.p = hv_partition_new(&f.cfg, &fake_hv_host_ops, &f.host);
	ck_assert_ptr_nonnull(f.p);
}

/* What KVM's own tests expect (selftest hyperv_features), where user mode has the call. */
START_TEST(known_answers)
{
	uint8_t zero[256] = {0};

	ck_assert_uint_eq(call(0xbeef, zero, sizeof(zero)), 2);
	ck_assert_uint_eq(call(0x6b, zero, sizeof(zero)), 2);
	ck_assert_uint_eq(call(0x02, zero, sizeof(zero)), 6);
	ck_assert_uint_eq(call(0x13, zero, sizeof(zero)), 6);
	ck_assert_uint_eq(call(0x0b, zero, sizeof(zero)), 3);
	ck_assert_uint_eq(call(0x15, zero, sizeof(zero)), 0);
	ck_assert_uint_eq(call(0x08, zero, sizeof(zero)), 0);
	ck_assert_uint_eq(call(0x8001 | FAST, zero, sizeof(zero)), 5);
	without(HV_FEATURE_SYNIC);
	ck_assert_uint_eq(call(0x5c, zero, sizeof(zero)), 6);
	ck_assert_uint_eq(call(0x5d, zero, sizeof(zero)), 6);
	without(HV_FEATURE_IPI);
	ck_assert_uint_eq(call(0x0b, zero, sizeof(zero)), 6);
	without(HV_FEATURE_SPINLOCKS);
	ck_assert_uint_eq(call(0x08, zero, sizeof(zero)), 6);
	without(HV_FEATURE_EXT_CALLS);
	ck_assert_uint_eq(call(0x8001, zero, sizeof(zero)), 6);
	/* Denied comes before bad form, and that before unknown. */
	ck_assert_uint_eq(call(0x8001 | 1ull << 63, zero, sizeof(zero)), 6);
	ck_assert_uint_eq(call(0xbeef | 1ull << 63, zero, sizeof(zero)), 3);
}
END_TEST

static const struct form {
	uint64_t control, result;
} forms[] = {
	{0x08 | 1ull << 31, 3},
	{0x08 | 1ull << 27, 3},
	{0x08 | 1ull << 44, 3},
	{0x08 | 1ull << 60, 3},
	{0x08 | REPS(1), 3},
	{0x08 | START(1), 3},
	{0x08 | VAR(1), 3},
	{0x5c | VAR(1023), 3},
	{0x9a, 3},
	{0x9a | REPS(1) | START(1), 3},
	{0x9a | REPS(1) | START(4095), 3},
	{0x9a | REPS(1) | VAR(1), 3},
	{0x9a | REPS(4095), 4}, /* its list is longer than a page */
	{0x15 | VAR(1), 3},     /* more banks than the mask has */
	{0x15 | VAR(1023), 4},
	{0x5c | FAST, 3},
	{0x99 | FAST, 3},
	{0x46 | FAST, 3},
	{0x50 | FAST | REPS(1), 3},
	{0x51 | FAST | REPS(4), 3}, /* 16 + 4 * 32 bytes don't fit into registers */
};

START_TEST(bad_forms)
{
	uint8_t zero[256] = {0};

	ck_assert_uint_eq(call(forms[_i].control, zero, sizeof(zero)), forms[_i].result);
}
END_TEST

/* Any control word for any code: an answer, and nothing else comes to harm. */
START_TEST(all_combinations_of_control_bits)
{
	static const uint16_t codes[] = {0x00, 0x02, 0x03, 0x08, 0x0b, 0x13, 0x14, 0x15,   0x46,
					 0x50, 0x51, 0x5c, 0x5d, 0x7e, 0x99, 0x9a, 0x8001, 0xffff};
	static const uint64_t bits[] = {FAST,       VAR(1),      VAR(512),   1ull << 27,
					1ull << 31, REPS(1),     REPS(2048), 1ull << 44,
					START(1),   START(2048), 1ull << 60};
	uint64_t end = FAKE_RAM_BASE + FAKE_RAM_SIZE;
	static const size_t n = sizeof(bits) / sizeof(bits[0]);
	const unsigned step = (1u << n) / loops(1u << n);

	for (size_t c = 0; c < sizeof(codes) / sizeof(codes[0]); c++) {
		for (unsigned set = 0; set < 1u << n; set += step) {
			uint64_t control = codes[c], result;

			for (unsigned b = 0; b < n; b++)
				control |= set >> b & 1 ? bits[b] : 0;
			result = call_at(control, end - 8, end - 8);
			ck_assert(result == UD || !(result & 0xfffff000ffff0000));
			result = call_at(control, UINT64_MAX - 7, UINT64_MAX - 7);
			ck_assert(result == UD || !(result & 0xfffff000ffff0000));
		}
	}
}
END_TEST

START_TEST(where_input_may_lie)
{
	uint64_t end = FAKE_RAM_BASE + FAKE_RAM_SIZE;

	/* 256 bytes of PostMessage, type 0: a 5 says that they were read. */
	memset(f.host.ram, 0, FAKE_RAM_SIZE);
	ck_assert_uint_eq(call_at(0x5c, fake_page_gpa(0), 1), 5); /* output isn't looked at */
	ck_assert_uint_eq(call_at(0x5c, fake_page_gpa(1) - 256, 0), 5);
	ck_assert_uint_eq(call_at(0x5c, end - 256, 0), 5);
	for (unsigned i = 1; i < 8; i++)
		ck_assert_uint_eq(call_at(0x5c, fake_page_gpa(0) + i, 0), 4);
	ck_assert_uint_eq(call_at(0x5c, fake_page_gpa(1) - 248, 0), 4);
	ck_assert_uint_eq(call_at(0x5c, end - 248, 0), 4);
	ck_assert_uint_eq(call_at(0x5c, end, 0), 4);
	ck_assert_uint_eq(call_at(0x5c, 0, 0), 4);
	ck_assert_uint_eq(call_at(0x5c, UINT64_MAX - 255, 0), 4);
	ck_assert_uint_eq(call_at(0x5c, 1ull << 63 | fake_page_gpa(0), 0), 4);
	/* The same for output, 8 bytes. */
	ck_assert_uint_eq(call_at(0x8001, 1, end - 8), 0);
	ck_assert_uint_eq(call_at(0x8001, 1, end - 4), 4);
	ck_assert_uint_eq(call_at(0x8001, 1, end), 4);
	ck_assert_uint_eq(call_at(0x8001, 1, UINT64_MAX - 7), 4);
}
END_TEST

START_TEST(ipi)
{
	struct hv_input_send_ipi in = {.vector = 0xff, .vp_mask = 0x5};

	ck_assert_uint_eq(call(0x0b, &in, sizeof(in)), 0);
	ck_assert_uint_eq(call_at(0x0b | FAST, 0x10, UINT64_MAX),
			  0); /* VPs that aren't there too */
	ck_assert_uint_eq(irqs_of(0), 2);
	ck_assert_uint_eq(irqs_of(1), 1);
	ck_assert_uint_eq(irqs_of(2), 2);
	ck_assert_uint_eq(irqs_of(3), 1);
	ck_assert_uint_eq(atomic_load(&f.host.last_vector[2]), 0x10);
	ck_assert_uint_eq(call_at(0x0b | FAST, 0x20, 0), 0);
	ck_assert_uint_eq(call_at(0x0b | FAST, 0x20, UINT64_MAX << 4), 0);
	ck_assert_uint_eq(call_at(0x0b | FAST, 0x0f, 1), 3);
	ck_assert_uint_eq(call_at(0x0b | FAST, 0x100, 1), 3);
	ck_assert_uint_eq(call_at(0x0b | FAST, 1ull << 32 | 0x20, 1), 3);
	ck_assert_uint_eq(irqs_of(0), 2);
	ck_assert_uint_eq(f.host.xmm_reads, 0);
}
END_TEST

START_TEST(ipi_to_a_set)
{
	uint64_t in[5] = {0x30, HV_GENERIC_SET_SPARSE_4K, 1ull << 63 | 1, 0xa, UINT64_MAX};

	ck_assert_uint_eq(call(0x15 | VAR(2), in, sizeof(in)), 0); /* bank 63: nobody */
	ck_assert_uint_eq(irqs_of(0) + irqs_of(2), 0);
	ck_assert_uint_eq(irqs_of(1), 1);
	ck_assert_uint_eq(irqs_of(3), 1);
	ck_assert_uint_eq(call(0x15 | VAR(1), in, sizeof(in)), 3);
	ck_assert_uint_eq(call(0x15 | VAR(3), in, sizeof(in)), 3);
	in[1] = HV_GENERIC_SET_ALL;
	ck_assert_uint_eq(call(0x15 | VAR(1), in, sizeof(in)), 3); /* then too */
	ck_assert_uint_eq(call(0x15 | VAR(2), in, sizeof(in)), 0);
	in[2] = 0;
	ck_assert_uint_eq(call(0x15, in, sizeof(in)), 0);
	ck_assert_uint_eq(irqs_of(0), 2);
	ck_assert_uint_eq(irqs_of(3), 3);
	in[1] = 2;
	ck_assert_uint_eq(call(0x15, in, sizeof(in)), 5);
	in[1] = HV_GENERIC_SET_ALL;
	in[0] = 0xf;
	ck_assert_uint_eq(call(0x15, in, sizeof(in)), 3);
}
END_TEST

/* RDX vector, R8 format, XMM0 mask and first bank, XMM1 second bank. */
START_TEST(ipi_in_xmm_registers)
{
	uint64_t xmm[12] = {1ull << 9 | 1, 0x4, 0x1};

	memcpy(f.host.xmm, xmm, sizeof(xmm));
	ck_assert_uint_eq(call_at(0x15 | FAST | VAR(2), 0x40, 0), 0);
	ck_assert_uint_eq(f.host.xmm_reads, 1);
	ck_assert_uint_eq(irqs_of(2), 1);
	ck_assert_uint_eq(irqs_of(0), 0);
	/* The last bank that fits is the eleventh. */
	xmm[0] = 0x7ff;
	xmm[11] = UINT64_MAX;
	memcpy(f.host.xmm, xmm, sizeof(xmm));
	ck_assert_uint_eq(call_at(0x15 | FAST | VAR(11), 0x40, 0), 0);
	ck_assert_uint_eq(call_at(0x15 | FAST | VAR(12), 0x40, 0), 3);
	without(HV_FEATURE_XMM_INPUT);
	ck_assert_uint_eq(call_at(0x15 | FAST | VAR(2), 0x40, 0), UD);
	ck_assert_uint_eq(call_at(0x51 | FAST | REPS(1), UINT64_MAX, HV_VP_INDEX_SELF), UD);
	ck_assert_uint_eq(call_at(0x0b | FAST, 0x40, 1), 0);
	ck_assert_uint_eq(f.host.xmm_reads, 2);
}
END_TEST

START_TEST(spin_wait)
{
	ck_assert_uint_eq(call_at(0x08 | FAST, 5, 0), 0);
	ck_assert_uint_eq(f.host.spins, 1);
}
END_TEST

struct apic_ids {
	struct hv_input_apic_ids head;
	uint32_t id[VPS + 1];
};

START_TEST(vp_from_apic_id)
{
	struct apic_ids in = {.head.partition_id = HV_PARTITION_ID_SELF};
	const uint32_t *out = (const uint32_t *)fake_page(&f.host, OUT);

	for (uint32_t i = 0; i < VPS; i++)
		in.id[i] = FAKE_APIC_ID(VPS - 1 - i);
	in.id[VPS] = 77;
	ck_assert_uint_eq(call(0x9a | REPS(VPS), &in, sizeof(in)), DONE(VPS, 0));
	for (uint32_t i = 0; i < VPS; i++)
		ck_assert_uint_eq(out[i], VPS - 1 - i);
	/* Up to the first that isn't there; and from the start index on, those before left alone. */
	memset(fake_page(&f.host, OUT), 0xee, 64);
	ck_assert_uint_eq(call(0x9a | REPS(VPS + 1) | START(2), &in, sizeof(in)), DONE(VPS, 5));
	ck_assert_uint_eq(out[1], 0xeeeeeeee);
	ck_assert_uint_eq(out[2], 1);
	ck_assert_uint_eq(out[3], 0);
	ck_assert_uint_eq(out[4], 0xeeeeeeee);
	in.head.target_vtl = 0x10;
	ck_assert_uint_eq(call(0x9a | REPS(1), &in, sizeof(in)), DONE(1, 0));
	in.head.target_vtl = 0x11;
	ck_assert_uint_eq(call(0x9a | REPS(1), &in, sizeof(in)), 5);
	in.head.partition_id = 12345;
	ck_assert_uint_eq(call(0x9a | REPS(1), &in, sizeof(in)), 0x0d);
}
END_TEST

static struct hv_input_start_vp long_mode_start(void)
{
	return (struct hv_input_start_vp){
		.partition_id = HV_PARTITION_ID_SELF,
		.vp_index = 2,
		.context =
			{
				.rip = 0xffffffff81000000,
				.rsp = 0x1000,
				.rflags = 2,
				.cs = {.selector = 0x10, .attributes = 0xa09b, .limit = UINT32_MAX},
				.gdtr = {.limit = 0x7f, .base = 0x2000},
				.efer = 0xd01,
				.cr0 = 0x80050033,
				.cr3 = 0x3000,
				.cr4 = 0x20,
				.pat = 0x0007040600070406,
			},
	};
}

START_TEST(start_vp)
{
	struct hv_input_start_vp in = long_mode_start();

	ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 0);
	ck_assert_uint_eq(f.host.starts, 1);
	ck_assert_uint_eq(f.host.started_vp, 2);
	ck_assert_mem_eq(&f.host.started, &in.context, sizeof(in.context));
	f.host.start_status = HV_STATUS_INVALID_VP_STATE;
	ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 0x15);
	ck_assert_uint_eq(f.host.starts, 2);
	in.vp_index = 1; /* the caller */
	ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 0x15);
	in.vp_index = HV_VP_INDEX_SELF;
	ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 0x15);
	in.vp_index = VPS;
	ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 0x0e);
	in.vp_index = UINT32_MAX;
	ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 0x0e);
	in.partition_id = 0;
	ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 0x0d);
	in = long_mode_start();
	in.target_vtl = 1;
	ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 5);
	ck_assert_uint_eq(f.host.starts, 2);
}
END_TEST

START_TEST(start_vp_wants_long_mode)
{
	struct hv_input_start_vp in = long_mode_start();
	uint64_t *reg[] = {&in.context.cr0, &in.context.cr0, &in.context.cr4, &in.context.efer,
			   &in.context.efer};
	static const uint8_t bit[] = {0, 31, 5, 8, 10};

	for (unsigned i = 0; i < 5; i++) {
		*reg[i] ^= 1ull << bit[i];
		ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 0x50);
		*reg[i] ^= 1ull << bit[i];
	}
	ck_assert_uint_eq(f.host.starts, 0);
	ck_assert_uint_eq(call(0x99, &in, sizeof(in)), 0);
}
END_TEST

struct names {
	struct hv_input_vp_registers head;
	uint32_t name[8];
};

START_TEST(get_registers)
{
	struct names in = {
		.head = {.partition_id = HV_PARTITION_ID_SELF, .vp_index = HV_VP_INDEX_SELF},
		.name = {0x90003, 0x100, 0xa0011, 0xa000f, 0xd0003, 0x90004, 0x215, 0x20000},
	};
	const uint64_t *out = (const uint64_t *)fake_page(&f.host, OUT);
	const uint32_t *version = (const uint32_t *)fake_page(&f.host, OUT) + 4;

	fake_set_time(&f.host, 4711);
	hv_write(&f, 1, HV_X64_MSR_SINT0 + 15, 0x44);
	ck_assert_uint_eq(call(0x50 | REPS(8), &in, sizeof(in)), DONE(7, 5)); /* RAX: not here */
	ck_assert_uint_eq(out[0], 1);                                         /* VpIndex */
	ck_assert_uint_eq(out[1], 0);
	ck_assert_uint_eq(version[1], 1); /* minor version */
	ck_assert_uint_eq(out[4], 1);     /* Sversion */
	ck_assert_uint_eq(out[6], 0x44);  /* Sint15 */
	ck_assert_uint_eq(out[8], 0);     /* VsmVpStatus */
	ck_assert_uint_eq(out[10], 4711); /* TimeRefCount */
	ck_assert_uint_eq(out[12], 3ull << 62);
	in.head.vp_index = 1;
	ck_assert_uint_eq(call(0x50 | REPS(1), &in, sizeof(in)), DONE(1, 0));
	in.head.vp_index = 0;
	ck_assert_uint_eq(call(0x50 | REPS(1), &in, sizeof(in)), 6);
	in.head.vp_index = VPS;
	ck_assert_uint_eq(call(0x50 | REPS(1), &in, sizeof(in)), 0x0e);
	in.head.partition_id = 0;
	ck_assert_uint_eq(call(0x50 | REPS(1), &in, sizeof(in)), 0x0d);
	/* Off is off, by whatever way. And these accesses are no MSR accesses. */
	without(HV_FEATURE_SYNIC);
	in = (struct names){.head = {.partition_id = UINT64_MAX, .vp_index = 1},
			    .name = {0x90002, 0xa0011}};
	ck_assert_uint_eq(call(0x50 | REPS(2), &in, sizeof(in)), DONE(1, 5));
	ck_assert_uint_eq(hv_msr_counts(f.p, &(struct hv_msr_count){0}, 1), 0);
}
END_TEST

struct values {
	struct hv_input_vp_registers head;
	struct hv_vp_register reg[3];
};

START_TEST(set_registers)
{
	struct values in = {
		.head = {.partition_id = HV_PARTITION_ID_SELF, .vp_index = 1},
		.reg = {{.name = 0x90002, .low = 0x1234}, {.name = 0xa0002, .low = 0x55}, {0}},
	};

	ck_assert_uint_eq(call(0x51 | REPS(2), &in, sizeof(in)), DONE(2, 0));
	ck_assert_uint_eq(hv_read(&f, 1, HV_X64_MSR_GUEST_OS_ID), 0x1234);
	ck_assert_uint_eq(hv_read(&f, 1, HV_X64_MSR_SINT0 + 2), 0x55);
	in.reg[1].low = 3; /* no vector */
	ck_assert_uint_eq(call(0x51 | REPS(2), &in, sizeof(in)), DONE(1, 0x50));
	in.reg[1] = (struct hv_vp_register){.name = 0x90003}; /* read-only */
	ck_assert_uint_eq(call(0x51 | REPS(2), &in, sizeof(in)), DONE(1, 0x50));
	in.reg[1] = (struct hv_vp_register){.name = 0x100};
	ck_assert_uint_eq(call(0x51 | REPS(2), &in, sizeof(in)), DONE(1, 5));
	in.reg[0].high = 1;
	ck_assert_uint_eq(call(0x51 | REPS(2), &in, sizeof(in)), DONE(0, 0x50));
	/* In registers: the head in RDX and R8, the element in XMM0 and XMM1. */
	in.reg[0] = (struct hv_vp_register){.name = 0x90002, .low = 0x4321};
	memcpy(f.host.xmm, &in.reg[0], sizeof(in.reg[0]));
	ck_assert_uint_eq(call_at(0x51 | FAST | REPS(1), UINT64_MAX, HV_VP_INDEX_SELF), DONE(1, 0));
	ck_assert_uint_eq(hv_read(&f, 1, HV_X64_MSR_GUEST_OS_ID), 0x4321);
}
END_TEST

START_TEST(queries)
{
	uint64_t *out = (uint64_t *)fake_page(&f.host, OUT);

	*out = 1;
	ck_assert_uint_eq(call_at(0x8001, 0, fake_page_gpa(OUT)), 0);
	ck_assert_uint_eq(*out, 0);
	ck_assert_uint_eq(call_at(0x46, 0, fake_page_gpa(OUT)), 0);
	ck_assert_uint_ne(*out, 0);
	ck_assert_uint_ne(*out, HV_PARTITION_ID_SELF);
}
END_TEST

START_TEST(counts)
{
	struct hv_call_count c[4];

	call_at(0x08 | FAST, 0, 0);
	call_at(0x08 | FAST | REPS(1), 0, 0);
	call_at(0xbeef, 0, 0);
	call_at(0x02, 0, 0);
	without(HV_FEATURE_TIME); /* a new one, with no counts */
	ck_assert_uint_eq(hv_call_counts(f.p, c, 4), 0);
	call_at(0x08 | FAST, 0, 0);
	call_at(0x08 | FAST | REPS(1), 0, 0);
	call_at(0xbeef, 0, 0);
	call_at(0x02, 0, 0);
	ck_assert_uint_eq(hv_hypercall_count(f.p), 4);
	ck_assert_uint_eq(hv_call_counts(f.p, c, 4), 3);
	ck_assert_str_eq(c[0].name, "FlushVirtualAddressSpace");
	ck_assert_uint_eq(c[1].code, 8);
	ck_assert_uint_eq(c[1].calls, 2);
	ck_assert_uint_eq(c[1].failed, 1);
	ck_assert_str_eq(c[2].name, "unknown");
	ck_assert_uint_eq(c[2].failed, 1);
	ck_assert_uint_eq(hv_call_counts(f.p, c, 1), 1);
}
END_TEST

Suite *hv_call_suite(void)
{
	Suite *s = suite_create("hv_call");
	TCase *t = tcase_create("call");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, known_answers);
	tcase_add_loop_test(t, bad_forms, 0, sizeof(forms) / sizeof(forms[0]));
	tcase_add_test(t, all_combinations_of_control_bits);
	tcase_add_test(t, where_input_may_lie);
	tcase_add_test(t, ipi);
	tcase_add_test(t, ipi_to_a_set);
	tcase_add_test(t, ipi_in_xmm_registers);
	tcase_add_test(t, spin_wait);
	tcase_add_test(t, vp_from_apic_id);
	tcase_add_test(t, start_vp);
	tcase_add_test(t, start_vp_wants_long_mode);
	tcase_add_test(t, get_registers);
	tcase_add_test(t, set_registers);
	tcase_add_test(t, queries);
	tcase_add_test(t, counts);
	suite_add_tcase(s, t);
	return s;
}
