/* SPDX-License-Identifier: MIT */
/* How fast this KVM runs guest instructions: a loop in real mode, timed from outside. */
#include "vmm/mips.h"

#include "vmm/scratch_vm.h"
#include "vmm/tsc.h"

#define CODE_GPA          0x1000u
#define DONE_PORT         0x10
#define SHORT_LOOPS       20000u    /* 20 ms where instructions are emulated */
#define LONG_LOOPS        20000000u /* as long where they are not */
#define LOOP_INSTRUCTIONS 2u

/* dec ecx; jnz -5; out DONE_PORT, al; jmp back to the start for the next round */
static const uint8_t loop_code[] = {0x66, 0x49, 0x75, 0xfc, 0xe6, DONE_PORT, 0xeb, 0xf8};

static int set_start(struct scratch_vm *vm, struct err *e)
{
	struct kvm_sregs s;
	int ret = kvm_vp_get_sregs(vm->k, &vm->vp, &s, e);

	if (ret)
		return ret;
	s.cs.base = 0;
	s.cs.selector = 0;
	return kvm_vp_set_sregs(vm->k, &vm->vp, &s, e);
}

static int time_loop(struct scratch_vm *vm, uint32_t loops, uint64_t *cycles, struct err *e)
{
	struct kvm_regs r = {.rip = CODE_GPA, .rcx = loops, .rflags = 2};
	int ret = kvm_vp_set_regs(vm->k, &vm->vp, &r, e);
	uint64_t start;

	if (ret)
		return ret;
	start = tsc_now();
	ret = scratch_vm_run(vm, KVM_EXIT_IO, e);
	*cycles = tsc_now() - start;
	return ret;
}

static int measure(struct scratch_vm *vm, double *mips, struct err *e)
{
	uint32_t loops = SHORT_LOOPS;
	uint64_t cycles, khz;
	int ret = kvm_tsc_khz(vm->k, &khz, e);

	if (ret == 0)
		ret = mem_write(&vm->mem, gpa(CODE_GPA), loop_code, sizeof(loop_code));
	if (ret == 0)
		ret = set_start(vm, e);
	if (ret == 0)
		ret = time_loop(vm, loops, &cycles, e);
	if (ret == 0 && cycles < 2 * khz) {
		loops = LONG_LOOPS;
		ret = time_loop(vm, loops, &cycles, e);
	}
	if (ret == 0)
		*mips = (double)loops * LOOP_INSTRUCTIONS * (double)khz / (double)cycles / 1000.0;
	return ret;
}

int mips_measure(struct kvm *k, double *mips, struct err *e)
{
	struct scratch_vm vm;
	int ret = scratch_vm_init(&vm, k, e);

	if (ret == 0)
		ret = measure(&vm, mips, e);
	scratch_vm_fini(&vm);
	return ret;
}
