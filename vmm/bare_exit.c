/* SPDX-License-Identifier: MIT */
/* What an exit costs with nothing behind it: a KVM_RUN loop that answers a constant. */
#include "vmm/bare_exit.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "hyperv/hv_defs.h"
#include "vmm/scratch_vm.h"
#include "vmm/tsc.h"

#define CODE_GPA    0x1000u
#define PML4_GPA    0x2000u
#define PDPT_GPA    0x3000u
#define PD_GPA      0x4000u
#define PTE_PRESENT 0x3u  /* and writable */
#define PDE_LARGE   0x83u /* 2 MiB */
#define CR0_PE_ET   0x11u
#define CR0_PG      (1u << 31)
#define CR4_PAE     (1u << 5)
#define EFER_LONG   0x500u /* LME, LMA */
#define WARM_UP     8u     /* before each batch, as another VM ran meanwhile */

/* rdmsr; dec ebx; jnz -6: EBX is set so high that the loop does not end before the measurement. */
static const uint8_t loop_code[] = {0x0f, 0x32, 0xff, 0xcb, 0x75, 0xfa};

static int write_code(const struct mem *m)
{
	static const struct {
		uint32_t gpa;
		uint64_t entry;
	} tables[] = {
		{PML4_GPA, PDPT_GPA | PTE_PRESENT},
		{PDPT_GPA, PD_GPA | PTE_PRESENT},
		{PD_GPA, PDE_LARGE},
	};
	int ret = mem_write(m, gpa(CODE_GPA), loop_code, sizeof(loop_code));

	for (size_t i = 0; ret == 0 && i < sizeof(tables) / sizeof(tables[0]); i++)
		ret = mem_write(m, gpa(tables[i].gpa), &tables[i].entry, sizeof(tables[i].entry));
	return ret;
}

static int enter_long_mode(struct scratch_vm *vm, struct err *e)
{
	const struct kvm_regs r = {
		.rip = CODE_GPA,
		.rflags = 2,
		.rbx = UINT32_MAX,
		.rcx = HV_X64_MSR_VP_INDEX,
	};
	struct kvm_sregs s;
	int ret = kvm_vp_get_sregs(vm->k, &vm->vp, &s, e);

	if (ret)
		return ret;
	s.cs = (struct kvm_segment){
		.limit = UINT32_MAX,
		.selector = 0x8,
		.type = 0xb,
		.present = 1,
		.s = 1,
		.l = 1,
		.g = 1,
	};
	s.ss = (struct kvm_segment){
		.limit = UINT32_MAX,
		.selector = 0x10,
		.type = 0x3,
		.present = 1,
		.db = 1,
		.s = 1,
		.g = 1,
	};
	s.ds = s.es = s.fs = s.gs = s.ss;
	s.cr0 = CR0_PE_ET | CR0_PG;
	s.cr3 = PML4_GPA;
	s.cr4 = CR4_PAE;
	s.efer = EFER_LONG;
	ret = kvm_vp_set_sregs(vm->k, &vm->vp, &s, e);
	return ret ? ret : kvm_vp_set_regs(vm->k, &vm->vp, &r, e);
}

/* The VP gets the host's CPUID: without long mode in it there is none. */
static int give_cpuid(struct scratch_vm *vm, struct err *e)
{
	struct cpuid_set *set = malloc(sizeof(*set));
	int ret = set ? 0 : err_set(e, ENOMEM, "out of memory");

	if (ret == 0)
		ret = kvm_supported_cpuid(vm->k, set, e);
	if (ret == 0)
		ret = kvm_vp_set_cpuid(vm->k, &vm->vp, set, e);
	free(set);
	return ret;
}

struct bare_exit {
	struct kvm k;
	struct scratch_vm vm;
};

static int set_up(struct bare_exit *b, struct err *e)
{
	int ret = kvm_open(&b->k, e);

	if (ret == 0)
		ret = scratch_vm_init(&b->vm, &b->k, e);
	if (ret == 0)
		ret = kvm_enable_user_msrs(&b->k, e);
	if (ret == 0 && kvm_capability(&b->k, KVM_CAP_HYPERV)) /* it would answer by itself */
		ret = kvm_deny_msrs(&b->k, HV_MSR_FIRST, HV_MSR_LAST - HV_MSR_FIRST + 1, e);
	if (ret == 0)
		ret = give_cpuid(&b->vm, e);
	if (ret == 0)
		ret = write_code(&b->vm.mem);
	return ret ? ret : enter_long_mode(&b->vm, e);
}

int bare_exit_open(struct bare_exit **out, struct err *e)
{
	struct bare_exit *b = calloc(1, sizeof(*b));
	int ret;

	*out = b;
	if (!b)
		return err_set(e, ENOMEM, "out of memory");
	*b = (struct bare_exit){.k = {.fd = -1, .vm_fd = -1}, .vm = {.vp = {.fd = -1}}};
	ret = set_up(b, e);
	if (ret) {
		bare_exit_close(b);
		*out = NULL;
	}
	return ret;
}

void bare_exit_close(struct bare_exit *b)
{
	if (!b)
		return;
	if (b->k.fd >= 0)
		scratch_vm_fini(&b->vm);
	kvm_close(&b->k);
	free(b);
}

static int answer(struct scratch_vm *vm, unsigned count, struct err *e)
{
	for (unsigned i = 0; i < count; i++) {
		int ret = scratch_vm_run(vm, KVM_EXIT_X86_RDMSR, e);

		if (ret)
			return ret;
		vm->vp.run->msr.data = 0;
		vm->vp.run->msr.error = 0;
	}
	return 0;
}

/* From one exit to the one `count` later, so that a batch holds as many turns of the loop. */
int bare_exit_batch(struct bare_exit *b, unsigned count, uint64_t *cycles, struct err *e)
{
	int ret = answer(&b->vm, WARM_UP, e);
	uint64_t start = tsc_now();

	if (ret == 0)
		ret = answer(&b->vm, count, e);
	*cycles = tsc_now() - start;
	return ret;
}
