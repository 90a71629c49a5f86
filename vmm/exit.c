/* SPDX-License-Identifier: MIT */
/* Exits from the guest to user space: decoding, and the table that serves them. */
#include "vmm/exit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hyperv/hv_defs.h"

static void decode_io(struct vp_exit *x, struct kvm_run *run)
{
	x->io.data = (uint8_t *)run + run->io.data_offset;
	x->io.count = run->io.count;
	x->io.port = run->io.port;
	x->io.size = run->io.size;
	x->io.is_write = run->io.direction == KVM_EXIT_IO_OUT;
}

static void decode_internal(struct vp_exit *x, const struct kvm_run *run)
{
	x->internal.suberror = run->internal.suberror;
	x->internal.insn_size = 0;
	if (run->internal.suberror != KVM_INTERNAL_ERROR_EMULATION ||
	    run->emulation_failure.ndata < 3 ||
	    !(run->emulation_failure.flags & KVM_INTERNAL_ERROR_EMULATION_FLAG_INSTRUCTION_BYTES))
		return;
	x->internal.insn_size = run->emulation_failure.insn_size;
	if (x->internal.insn_size > sizeof(x->internal.insn))
		x->internal.insn_size = sizeof(x->internal.insn);
	memcpy(x->internal.insn, run->emulation_failure.insn_bytes, x->internal.insn_size);
}

static void decode_hyperv(struct vp_exit *x, const struct kvm_run *run)
{
	x->hyperv.type = run->hyperv.type;
	if (run->hyperv.type == KVM_EXIT_HYPERV_HCALL) {
		x->hyperv.control = run->hyperv.u.hcall.input;
		x->hyperv.input = run->hyperv.u.hcall.params[0];
		x->hyperv.result = HV_STATUS_INVALID_HYPERCALL_CODE;
	} else if (run->hyperv.type == KVM_EXIT_HYPERV_SYNIC) {
		x->hyperv.scontrol = run->hyperv.u.synic.control;
		x->hyperv.siefp = run->hyperv.u.synic.evt_page;
		x->hyperv.simp = run->hyperv.u.synic.msg_page;
	}
}

void exit_decode(struct vp_exit *x, struct kvm_run *run, uint32_t vp)
{
	x->reason = run->exit_reason;
	x->vp = vp;
	switch (run->exit_reason) {
	case KVM_EXIT_IO:
		decode_io(x, run);
		break;
	case KVM_EXIT_MMIO:
		x->mmio.data = run->mmio.data;
		x->mmio.gpa = run->mmio.phys_addr;
		x->mmio.size = run->mmio.len;
		x->mmio.is_write = run->mmio.is_write;
		break;
	case KVM_EXIT_X86_RDMSR:
	case KVM_EXIT_X86_WRMSR:
		x->msr.val = run->msr.data;
		x->msr.index = run->msr.index;
		x->msr.is_write = run->exit_reason == KVM_EXIT_X86_WRMSR;
		x->msr.fault = false;
		break;
	case KVM_EXIT_INTERNAL_ERROR:
		decode_internal(x, run);
		break;
	case KVM_EXIT_FAIL_ENTRY:
		x->fail_entry.hardware_reason = run->fail_entry.hardware_entry_failure_reason;
		break;
	case KVM_EXIT_SYSTEM_EVENT:
		x->system.type = run->system_event.type;
		break;
	case KVM_EXIT_HYPERV:
		decode_hyperv(x, run);
		break;
	default:
		break;
	}
}

void exit_encode(const struct vp_exit *x, struct kvm_run *run)
{
	switch (x->reason) {
	case KVM_EXIT_X86_RDMSR:
	case KVM_EXIT_X86_WRMSR:
		run->msr.error = x->msr.fault;
		run->msr.data = x->msr.val;
		break;
	case KVM_EXIT_HYPERV:
		if (x->hyperv.type == KVM_EXIT_HYPERV_HCALL)
			run->hyperv.u.hcall.result = x->hyperv.result;
		break;
	default:
		break;
	}
}

static void access_bytes(struct bus *b, uint64_t addr, uint8_t *data, uint8_t size, bool is_write,
			 uint32_t vp)
{
	struct io_access a = {.addr = addr, .size = size, .is_write = is_write, .vp = vp};

	if (is_write)
		memcpy(&a.val, data, size);
	bus_access(b, &a);
	if (!is_write)
		memcpy(data, &a.val, size);
}

static enum exit_action on_io(const struct exit_env *env, struct vp_exit *x)
{
	if (x->io.is_write && x->io.count > 1) {
		bus_write_string(env->pio, x->io.port, x->io.data, x->io.count, x->io.size, x->vp);
		return EXIT_RESUME;
	}
	for (uint32_t i = 0; i < x->io.count; i++)
		access_bytes(env->pio, x->io.port, x->io.data + (size_t)i * x->io.size, x->io.size,
			     x->io.is_write, x->vp);
	return EXIT_RESUME;
}

static enum exit_action on_mmio(const struct exit_env *env, struct vp_exit *x)
{
	uint8_t size = x->mmio.size > 8 ? 8 : (uint8_t)x->mmio.size;

	access_bytes(env->mmio, x->mmio.gpa, x->mmio.data, size, x->mmio.is_write, x->vp);
	return EXIT_RESUME;
}

static enum exit_action on_msr(const struct exit_env *env, struct vp_exit *x)
{
	struct io_access a = {
		.addr = x->msr.index,
		.val = x->msr.is_write ? x->msr.val : 0,
		.size = 8,
		.is_write = x->msr.is_write,
		.vp = x->vp,
	};

	x->msr.fault = bus_access(env->msr, &a) != IO_OK;
	if (!x->msr.is_write)
		x->msr.val = a.val;
	return EXIT_RESUME;
}

static enum exit_action on_interrupted(const struct exit_env *env, struct vp_exit *x)
{
	(void)env;
	(void)x;
	return EXIT_RESUME;
}

static enum exit_action on_shutdown(const struct exit_env *env, struct vp_exit *x)
{
	outcome_set(env->outcome, OUTCOME_CRASH, x->reason, "triple fault on VP %u", x->vp);
	return EXIT_STOP;
}

static enum exit_action on_hlt(const struct exit_env *env, struct vp_exit *x)
{
	outcome_set(env->outcome, OUTCOME_CRASH, x->reason,
		    "VP %u halted, and KVM says that nothing can wake it", x->vp);
	return EXIT_STOP;
}

static enum exit_action on_fail_entry(const struct exit_env *env, struct vp_exit *x)
{
	outcome_set(env->outcome, OUTCOME_CRASH, x->reason,
		    "KVM could not enter VP %u (hardware reason %#" PRIx64 ")", x->vp,
		    x->fail_entry.hardware_reason);
	return EXIT_STOP;
}

static enum exit_action on_internal_error(const struct exit_env *env, struct vp_exit *x)
{
	char bytes[3 * sizeof(x->internal.insn) + 1] = "";

	for (unsigned i = 0; i < x->internal.insn_size; i++)
		snprintf(bytes + 3 * i, 4, " %02x", x->internal.insn[i]);
	if (x->internal.suberror == KVM_INTERNAL_ERROR_EMULATION)
		outcome_set(env->outcome, OUTCOME_CRASH, x->reason,
			    "KVM could not emulate an instruction of VP %u%s%s", x->vp,
			    bytes[0] ? ":" : "", bytes);
	else
		outcome_set(env->outcome, OUTCOME_CRASH, x->reason,
			    "KVM internal error %u on VP %u", x->internal.suberror, x->vp);
	return EXIT_STOP;
}

static enum exit_action on_system_event(const struct exit_env *env, struct vp_exit *x)
{
	switch (x->system.type) {
	case KVM_SYSTEM_EVENT_RESET:
	case KVM_SYSTEM_EVENT_SHUTDOWN:
		outcome_set(env->outcome, OUTCOME_RESET, x->system.type, NULL);
		break;
	case KVM_SYSTEM_EVENT_CRASH:
		if (env->on_crash)
			env->on_crash(env->ctx, x->vp);
		__attribute__((fallthrough)); /* the first outcome counts */
	default:
		outcome_set(env->outcome, OUTCOME_CRASH, x->system.type,
			    "KVM system event %u on VP %u", x->system.type, x->vp);
		break;
	}
	return EXIT_STOP;
}

static enum exit_action on_hyperv(const struct exit_env *env, struct vp_exit *x)
{
	if (env->on_hyperv)
		env->on_hyperv(env->ctx, x);
	return EXIT_RESUME;
}

struct exit_row {
	const char *name;
	enum exit_action (*fn)(const struct exit_env *env, struct vp_exit *x);
};

#define ROW(reason, handler) [reason] = {#reason, handler}

static const struct exit_row rows[EXIT_REASONS] = {
	ROW(KVM_EXIT_IO, on_io),
	ROW(KVM_EXIT_MMIO, on_mmio),
	ROW(KVM_EXIT_X86_RDMSR, on_msr),
	ROW(KVM_EXIT_X86_WRMSR, on_msr),
	ROW(KVM_EXIT_INTR, on_interrupted),
	ROW(KVM_EXIT_IRQ_WINDOW_OPEN, on_interrupted),
	ROW(KVM_EXIT_HLT, on_hlt),
	ROW(KVM_EXIT_SHUTDOWN, on_shutdown),
	ROW(KVM_EXIT_FAIL_ENTRY, on_fail_entry),
	ROW(KVM_EXIT_INTERNAL_ERROR, on_internal_error),
	ROW(KVM_EXIT_SYSTEM_EVENT, on_system_event),
	ROW(KVM_EXIT_HYPERV, on_hyperv),
};

const char *exit_name(uint32_t reason)
{
	return reason < EXIT_REASONS ? rows[reason].name : NULL;
}

enum exit_action exit_dispatch(const struct exit_env *env, struct vp_exit *x)
{
	if (x->reason < EXIT_REASONS && rows[x->reason].fn)
		return rows[x->reason].fn(env, x);
	outcome_set(env->outcome, OUTCOME_CRASH, x->reason,
		    "VP %u left KVM for a reason that vpup does not handle (%u)", x->vp, x->reason);
	return EXIT_STOP;
}
