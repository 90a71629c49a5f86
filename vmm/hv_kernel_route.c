/* SPDX-License-Identifier: MIT */
/* Kernel mode: GSIs that KVM routes to synthetic interrupt sources. */
#include <errno.h>
#include <stdlib.h>

#include "vmm/hv_kernel_state.h"

#define PIC_PINS      8
#define PICS          2
#define IOAPIC_PINS   24
#define DEFAULT_COUNT (PICS * PIC_PINS + IOAPIC_PINS)
#define ROUTES_MAX    4096 /* KVM_MAX_IRQ_ROUTES, for GSIs as well */

static struct kvm_irq_routing_entry chip_route(uint32_t gsi, uint32_t chip, uint32_t pin)
{
	return (struct kvm_irq_routing_entry){
		.gsi = gsi,
		.type = KVM_IRQ_ROUTING_IRQCHIP,
		.u.irqchip = {.irqchip = chip, .pin = pin},
	};
}

/* What KVM_CREATE_IRQCHIP made: a new table takes the place of all that there is. */
static struct kvm_irq_routing *default_routes(void)
{
	struct kvm_irq_routing *t =
		calloc(1, sizeof(*t) + ROUTES_MAX * sizeof(struct kvm_irq_routing_entry));

	if (!t)
		return NULL;
	for (uint32_t gsi = 0; gsi < PICS * PIC_PINS; gsi++)
		t->entries[t->nr++] = chip_route(gsi, gsi / PIC_PINS, gsi % PIC_PINS);
	for (uint32_t gsi = 0; gsi < IOAPIC_PINS; gsi++)
		t->entries[t->nr++] = chip_route(gsi, KVM_IRQCHIP_IOAPIC, gsi);
	return t;
}

static int add_route(struct hv_kernel *h, const struct hv_kernel_sint *s, unsigned sint)
{
	struct kvm *k = &h->m->kvm;
	int ret;

	if (!h->routes) {
		h->routes = default_routes();
		h->next_gsi = IOAPIC_PINS;
	}
	if (!h->routes)
		return -ENOMEM;
	if (h->routes->nr == ROUTES_MAX)
		return -ENOSPC;
	h->routes->entries[h->routes->nr] = (struct kvm_irq_routing_entry){
		.gsi = h->next_gsi,
		.type = KVM_IRQ_ROUTING_HV_SINT,
		.u.hv_sint = {.vcpu = s->vp, .sint = sint},
	};
	h->routes->nr++;
	ret = kvm_set_routes(k, h->routes, NULL);
	if (ret == 0)
		ret = kvm_set_irqfd(k, h->next_gsi, s->raise_fd, s->end.fd, NULL);
	if (ret)
		h->routes->nr--;
	else
		h->next_gsi++;
	return ret;
}

int hv_kernel_route(struct hv_kernel *h, const struct hv_kernel_sint *s, unsigned sint)
{
	int ret;

	pthread_mutex_lock(&h->route_lock);
	ret = add_route(h, s, sint);
	pthread_mutex_unlock(&h->route_lock);
	return ret;
}
