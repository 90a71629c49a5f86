/* SPDX-License-Identifier: MIT */
/* Unit tests of the exit table, with made-up exits and no VM. */
#include <check.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/exit.h"

struct rig {
	struct bus pio, mmio, msr;
	struct outcome outcome;
	struct exit_env env;
	uint64_t last_addr, last_val;
	unsigned accesses;
};

static enum io_status record(void *dev, struct io_access *a)
{
	struct rig *r = dev;

	r->accesses++;
	r->last_addr = a->addr;
	if (a->is_write)
		r->last_val = a->val;
	else
		a->val = 0xa0b0c0d0e0f00010 + r->accesses;
	return IO_OK;
}

static void rig_init(struct rig *r)
{
	struct io_range port = {.name = "port", .base = 0x60, .last = 0x60, .fn = record, .dev = r};
	struct io_range page = {
		.name = "page", .base = 0xfed00000, .last = 0xfed00fff, .fn = record, .dev = r};
	struct io_range msr = {
		.name = "msr", .base = 0x40000000, .last = 0x400000ff, .fn = record, .dev = r};
	struct err e;

	memset(r, 0, sizeof(*r));
	bus_init(&r->pio, BUS_PIO);
	bus_init(&r->mmio, BUS_MMIO);
	bus_init(&r->msr, BUS_MSR);
	bus_claim(&r->pio, &port);
	bus_claim(&r->mmio, &page);
	bus_claim(&r->msr, &msr);
	bus_seal(&r->pio, 4, &e);
	bus_seal(&r->mmio, 4, &e);
	bus_seal(&r->msr, 4, &e);
	ck_assert_int_eq(outcome_init(&r->outcome, &e), 0);
	r->env = (struct exit_env){.pio = &r->pio,
				   .mmio = &r->mmio,
				   .msr = &r->msr,
				   .outcome = &r->outcome};
}

static void rig_fini(struct rig *r)
{
	bus_fini(&r->pio);
	bus_fini(&r->mmio);
	bus_fini(&r->msr);
	outcome_fini(&r->outcome);
}

START_TEST(port_input_fills_every_element)
{
	uint16_t data[3] = {0};
	struct vp_exit x = {.reason = KVM_EXIT_IO};
	struct rig r;

	rig_init(&r);
	x.io.data = (uint8_t *)data;
	x.io.count = 3;
	x.io.size = 2;
	x.io.port = 0x60;
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	ck_assert_uint_eq(data[0], 0x0011);
	ck_assert_uint_eq(data[1], 0x0012);
	ck_assert_uint_eq(data[2], 0x0013);
	x.io.port = 0x61;
	x.io.count = 1;
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	ck_assert_uint_eq(data[0], 0xffff);
	ck_assert_int_eq(r.outcome.kind, OUTCOME_NONE);
	rig_fini(&r);
}
END_TEST

START_TEST(port_output_reaches_the_device)
{
	uint32_t data = 0x01020304;
	struct vp_exit x = {.reason = KVM_EXIT_IO, .vp = 3};
	struct rig r;

	rig_init(&r);
	x.io.data = (uint8_t *)&data;
	x.io.count = 1;
	x.io.size = 4;
	x.io.port = 0x60;
	x.io.is_write = true;
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	ck_assert_uint_eq(r.last_val, 0x01020304);
	ck_assert_uint_eq(bus_count(&r.pio, 0).writes, 1);
	rig_fini(&r);
}
END_TEST

START_TEST(mmio_reads_and_writes)
{
	uint8_t data[8] = {0x78, 0x56, 0x34, 0x12, 0xee, 0xee, 0xee, 0xee};
	struct vp_exit x = {.reason = KVM_EXIT_MMIO};
	struct rig r;

	rig_init(&r);
	x.mmio.data = data;
	x.mmio.gpa = 0xfed00ffc;
	x.mmio.size = 4;
	x.mmio.is_write = true;
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	ck_assert_uint_eq(r.last_addr, 0xfed00ffc);
	ck_assert_uint_eq(r.last_val, 0x12345678);
	x.mmio.gpa = 0x1000;
	x.mmio.is_write = false;
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	ck_assert_uint_eq(data[0], 0xff);
	ck_assert_uint_eq(data[3], 0xff);
	ck_assert_uint_eq(data[4], 0xee);
	rig_fini(&r);
}
END_TEST

START_TEST(msr_answers_or_faults)
{
	struct kvm_run run = {.exit_reason = KVM_EXIT_X86_RDMSR};
	struct vp_exit x;
	struct rig r;

	rig_init(&r);
	run.msr.index = 0x40000020;
	run.msr.data = 5;
	exit_decode(&x, &run, 1);
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	exit_encode(&x, &run);
	ck_assert_uint_eq(run.msr.error, 0);
	ck_assert_uint_eq(run.msr.data, 0xa0b0c0d0e0f00011);

	run.exit_reason = KVM_EXIT_X86_WRMSR;
	run.msr.data = 0x1234567890;
	exit_decode(&x, &run, 1);
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	exit_encode(&x, &run);
	ck_assert_uint_eq(run.msr.error, 0);
	ck_assert_uint_eq(r.last_val, 0x1234567890);

	run.msr.index = 0x8b;
	exit_decode(&x, &run, 1);
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	exit_encode(&x, &run);
	ck_assert_uint_eq(run.msr.error, 1);
	ck_assert_uint_eq(bus_count(&r.msr, 1).writes, 1);
	rig_fini(&r);
}
END_TEST

START_TEST(decodes_port_strings_in_place)
{
	union {
		struct kvm_run run;
		uint8_t bytes[2 * 4096];
	} page = {0};
	struct vp_exit x;

	page.run.exit_reason = KVM_EXIT_IO;
	page.run.io.direction = KVM_EXIT_IO_OUT;
	page.run.io.port = 0xe9;
	page.run.io.size = 1;
	page.run.io.count = 5;
	page.run.io.data_offset = 4096;
	exit_decode(&x, &page.run, 7);
	ck_assert_uint_eq(x.vp, 7);
	ck_assert_ptr_eq(x.io.data, page.bytes + 4096);
	ck_assert_uint_eq(x.io.count, 5);
	ck_assert(x.io.is_write);
}
END_TEST

static const struct {
	uint32_t reason;
	enum outcome_kind kind;
	const char *text;
} endings[] = {
	{KVM_EXIT_SHUTDOWN, OUTCOME_CRASH, "triple fault on VP 2"},
	{KVM_EXIT_HLT, OUTCOME_CRASH, "VP 2 halted"},
	{KVM_EXIT_FAIL_ENTRY, OUTCOME_CRASH, "could not enter VP 2"},
	{KVM_EXIT_INTERNAL_ERROR, OUTCOME_CRASH, "VP 2"},
	{KVM_EXIT_NMI, OUTCOME_CRASH, "does not handle"},
	{63, OUTCOME_CRASH, "(63)"},
	{64, OUTCOME_CRASH, "(64)"},
	{UINT32_MAX, OUTCOME_CRASH, "(4294967295)"},
};

START_TEST(endings_say_why)
{
	struct vp_exit x = {.reason = endings[_i].reason, .vp = 2};
	struct rig r;

	rig_init(&r);
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_STOP);
	ck_assert_int_eq(r.outcome.kind, endings[_i].kind);
	ck_assert_ptr_nonnull(strstr(r.outcome.text, endings[_i].text));
	rig_fini(&r);
}
END_TEST

START_TEST(emulation_failure_shows_the_instruction)
{
	struct kvm_run run = {.exit_reason = KVM_EXIT_INTERNAL_ERROR};
	struct vp_exit x;
	struct rig r;

	rig_init(&r);
	run.internal.suberror = KVM_INTERNAL_ERROR_EMULATION;
	run.emulation_failure.ndata = 3;
	run.emulation_failure.flags = KVM_INTERNAL_ERROR_EMULATION_FLAG_INSTRUCTION_BYTES;
	run.emulation_failure.insn_size = 255;
	run.emulation_failure.insn_bytes[0] = 0x0f;
	run.emulation_failure.insn_bytes[1] = 0x01;
	exit_decode(&x, &run, 0);
	ck_assert_uint_eq(x.internal.insn_size, sizeof(x.internal.insn));
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_STOP);
	ck_assert_ptr_nonnull(strstr(r.outcome.text, "0f 01"));
	rig_fini(&r);
}
END_TEST

static void answer(void *ctx, struct vp_exit *x)
{
	struct rig *r = ctx;

	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(x->vp, 1);
	if (x->hyperv.type == KVM_EXIT_HYPERV_HCALL)
		x->hyperv.result = x->hyperv.control << 32 | x->hyperv.input;
	else
		ck_assert(x->hyperv.scontrol == 1 && x->hyperv.siefp == 0x1001 &&
			  x->hyperv.simp == 0x2001);
}

START_TEST(hypercalls_that_kvm_hands_over_get_a_result)
{
	struct kvm_run run = {.exit_reason = KVM_EXIT_HYPERV};
	struct vp_exit x;
	struct rig r;

	rig_init(&r);
	run.hyperv.type = KVM_EXIT_HYPERV_HCALL;
	run.hyperv.u.hcall.input = 0x5c;
	run.hyperv.u.hcall.params[0] = 0x2001;
	run.hyperv.u.hcall.result = 0xdead;
	exit_decode(&x, &run, 1);
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	exit_encode(&x, &run);
	ck_assert_uint_eq(run.hyperv.u.hcall.result, 2); /* nobody knows it */
	r.env.on_hyperv = answer;
	r.env.ctx = &r;
	exit_decode(&x, &run, 1);
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
	exit_encode(&x, &run);
	ck_assert_uint_eq(run.hyperv.u.hcall.result, 0x5c00002001);
	ck_assert_int_eq(r.outcome.kind, OUTCOME_NONE);
	rig_fini(&r);
}
END_TEST

START_TEST(synic_news_of_kvm_need_no_answer)
{
	struct kvm_run run = {.exit_reason = KVM_EXIT_HYPERV}, before;
	struct vp_exit x;
	struct rig r;

	rig_init(&r);
	run.hyperv.type = KVM_EXIT_HYPERV_SYNIC;
	run.hyperv.u.synic.msr = 0x40000083;
	run.hyperv.u.synic.control = 1;
	run.hyperv.u.synic.evt_page = 0x1001;
	run.hyperv.u.synic.msg_page = 0x2001;
	before = run;
	for (unsigned i = 0; i < 2; i++) {
		exit_decode(&x, &run, 1);
		ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_RESUME);
		exit_encode(&x, &run);
		ck_assert_mem_eq(&run, &before, sizeof(run));
		r.env.on_hyperv = answer;
		r.env.ctx = &r;
	}
	ck_assert_int_eq(r.outcome.kind, OUTCOME_NONE);
	rig_fini(&r);
}
END_TEST

static void crash_of_vp(void *ctx, uint32_t vp)
{
	struct rig *r = ctx;

	outcome_set(&r->outcome, OUTCOME_CRASH, 0, "reported by %u", vp);
}

START_TEST(crashes_reported_to_kvm_end_the_run)
{
	struct kvm_run run = {.exit_reason = KVM_EXIT_SYSTEM_EVENT};
	struct vp_exit x;
	struct rig r;

	rig_init(&r);
	r.env.on_crash = crash_of_vp;
	r.env.ctx = &r;
	run.system_event.type = KVM_SYSTEM_EVENT_CRASH;
	exit_decode(&x, &run, 3);
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_STOP);
	ck_assert_int_eq(r.outcome.kind, OUTCOME_CRASH);
	ck_assert_str_eq(r.outcome.text, "reported by 3");
	rig_fini(&r);

	/* Nobody asked for it, and it is still a crash. */
	rig_init(&r);
	ck_assert_int_eq(exit_dispatch(&r.env, &x), EXIT_STOP);
	ck_assert_int_eq(r.outcome.kind, OUTCOME_CRASH);
	rig_fini(&r);
}
END_TEST

START_TEST(first_outcome_wins)
{
	struct vp_exit x = {.reason = KVM_EXIT_SHUTDOWN};
	struct rig r;

	rig_init(&r);
	outcome_set(&r.outcome, OUTCOME_EXIT, 7, NULL);
	exit_dispatch(&r.env, &x);
	ck_assert_int_eq(r.outcome.kind, OUTCOME_EXIT);
	ck_assert_uint_eq(r.outcome.code, 7);
	ck_assert_str_eq(r.outcome.text, "");
	ck_assert_uint_ne(r.outcome.end_tsc, 0);
	rig_fini(&r);
}
END_TEST

START_TEST(reasons_have_names)
{
	ck_assert_str_eq(exit_name(KVM_EXIT_IO), "KVM_EXIT_IO");
	ck_assert_str_eq(exit_name(KVM_EXIT_X86_WRMSR), "KVM_EXIT_X86_WRMSR");
	ck_assert_ptr_null(exit_name(KVM_EXIT_NMI));
	ck_assert_ptr_null(exit_name(EXIT_REASONS));
}
END_TEST

Suite *exit_suite(void)
{
	Suite *s = suite_create("exit");
	TCase *t = tcase_create("exit");

	tcase_add_test(t, port_input_fills_every_element);
	tcase_add_test(t, port_output_reaches_the_device);
	tcase_add_test(t, mmio_reads_and_writes);
	tcase_add_test(t, msr_answers_or_faults);
	tcase_add_test(t, decodes_port_strings_in_place);
	tcase_add_loop_test(t, endings_say_why, 0, sizeof(endings) / sizeof(endings[0]));
	tcase_add_test(t, emulation_failure_shows_the_instruction);
	tcase_add_test(t, hypercalls_that_kvm_hands_over_get_a_result);
	tcase_add_test(t, synic_news_of_kvm_need_no_answer);
	tcase_add_test(t, crashes_reported_to_kvm_end_the_run);
	tcase_add_test(t, first_outcome_wins);
	tcase_add_test(t, reasons_have_names);
	suite_add_tcase(s, t);
	return s;
}
