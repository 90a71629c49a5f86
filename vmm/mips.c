/* SPDX-License-Identifier: MIT */
/* How fast this KVM runs guest instructions: a loop in real mode, timed from outside. */
#include "vmm/mips.h"

#include <errno.h>
#include <string.h>

#include "vmm/mem.h"
#include "vmm/tsc.h"

#define CODE_GPA          0x1000u
#define DONE_PORT         0x10
#define SHORT_LOOPS       20000u    /* 20 ms where instructions are emulated */
#define LONG_LOOPS        20000000u /* as long where they are not */
#define LOOP_INSTRUCTIONS 2u

/* dec ecx; jnz -5; out DONE_PORT, al; jmp back to the start for the next round */
static const uint8_t loop_code[] = {0x66, 0x49, 0x75, 0xfc, 0xe6, DONE_PORT, 0xeb, 0xf8};

static int set_start(struct kvm *k, const struct kvm_vp *vp, struct err *e)
{
	struct kvm_sregs s;
	int ret = kvm_vp_get_sregs(k, vp, &s, e);

	if (ret)
		return ret;
	s.cs.base = 0;
	s.cs.selector = 0;
	return kvm_vp_set_sregs(k, vp, &s, e);
}

static int time_loop(struct kvm *k, const struct kvm_vp *vp, uint32_t loops, uint64_t *cycles,
		     struct err *e)
{
	struct kvm_regs r = {.rip = CODE_GPA, .rcx = loops, .rflags = 2};
	int ret = kvm_vp_set_regs(k, vp, &r, e);
	uint64_t start;

	if (ret)
		return ret;
	start = tsc_now();
	do
		ret = kvm_vp_run(vp);
	while (ret == -EINTR);
	*cycles = tsc_now() - start;
	if (ret)
		return err_set(e, -ret, "KVM_RUN failed: %s", strerror(-ret));
	if (vp->run->exit_reason != KVM_EXIT_IO)
		return err_set(e, EIO, "the test loop left KVM with exit reason %u",
			       vp->run->exit_reason);
	return 0;
}

static int measure(struct kvm *k, const struct mem *m, const struct kvm_vp *vp, double *mips,
		   struct err *e)
{
	uint32_t loops = SHORT_LOOPS;
	uint64_t cycles, khz;
	int ret = kvm_tsc_khz(k, &khz, e);

	if (ret == 0)
		ret = mem_write(m, gpa(CODE_GPA), loop_code, sizeof(loop_code));
	if (ret == 0)
		ret = set_start(k, vp, e);
	if (ret == 0)
		ret = time_loop(k, vp, loops, &cycles, e);
	if (ret == 0 && cycles < 2 * khz) {
		loops = LONG_LOOPS;
		ret = time_loop(k, vp, loops, &cycles, e);
	}
	if (ret == 0)
		*mips = (double)loops * LOOP_INSTRUCTIONS * (double)khz / (double)cycles / 1000.0;
	return ret;
}

int mips_measure(struct kvm *k, double *mips, struct err *e)
{
	struct kvm_vp vp = {.fd = -1};
	struct mem m = {0};
	int ret = kvm_create_vm(k, e);

	if (ret == 0)
		ret = kvm_create_irqchip(k, false, e);
	if (ret == 0)
		ret = mem_init(&m, 0x10000, e);
	if (ret == 0)
		ret = kvm_set_memory(k, 0, m.region[0].base, m.size_bytes, m.region[0].host, e);
	if (ret == 0)
		ret = kvm_vp_create(k, 0, &vp, e);
	if (ret == 0)
		ret = measure(k, &m, &vp, mips, e);
	kvm_vp_close(k, &vp);
	mem_fini(&m);
	return ret;
}
