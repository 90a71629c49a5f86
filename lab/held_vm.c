/* SPDX-License-Identifier: MIT */
/* A VM that is there so that KVM's static keys stay as they are. */
#include "lab/held_vm.h"

int held_vm_open(struct held_vm *h, struct err *e)
{
	int ret = kvm_open(&h->kvm, e);

	if (ret == 0)
		ret = kvm_create_vm(&h->kvm, e);
	if (ret == 0)
		ret = kvm_create_irqchip(&h->kvm, false, false, e);
	return ret ? ret : kvm_vp_create(&h->kvm, 0, &h->vp, e);
}
