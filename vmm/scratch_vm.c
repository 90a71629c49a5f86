/* SPDX-License-Identifier: MIT */
/* A VM of one VP and a few pages, to time a handful of instructions in. */
#include "vmm/scratch_vm.h"

#include <errno.h>
#include <string.h>

int scratch_vm_init(struct scratch_vm *s, struct kvm *k, struct err *e)
{
	int ret;

	*s = (struct scratch_vm){.k = k, .vp = {.fd = -1}};
	ret = kvm_create_vm(k, e);
	if (ret == 0)
		ret = mem_init(&s->mem, SCRATCH_VM_BYTES, e);
	if (ret == 0)
		ret = kvm_set_memory(k, 0, s->mem.region[0].base, s->mem.size_bytes,
				     s->mem.region[0].host, e);
	if (ret == 0) /* after memory, which would wait for a grace period otherwise */
		ret = kvm_create_irqchip(k, false, true, e);
	return ret ? ret : kvm_vp_create(k, 0, &s->vp, e);
}

void scratch_vm_fini(struct scratch_vm *s)
{
	kvm_vp_close(s->k, &s->vp);
	mem_fini(&s->mem);
}

int scratch_vm_run(struct scratch_vm *s, uint32_t reason, struct err *e)
{
	int ret;

	do
		ret = kvm_vp_run(&s->vp);
	while (ret == -EINTR);
	if (ret)
		return err_set(e, -ret, "KVM_RUN failed: %s", strerror(-ret));
	if (s->vp.run->exit_reason != reason)
		return err_set(e, EIO, "the test loop left KVM with exit reason %u",
			       s->vp.run->exit_reason);
	return 0;
}
