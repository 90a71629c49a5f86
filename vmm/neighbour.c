/* SPDX-License-Identifier: MIT */
/* Neighbours that compete with the VPs for host CPUs: threads that spin, and VMs whose VPs do. */
#include "vmm/neighbour.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vmm/host_cpus.h"
#include "vmm/outcome.h"
#include "vmm/vp.h"

#define GUEST_BYTES 0x10000u
#define GUEST_CODE  0x1000u
#define SPINS       4096
#define STACK_BYTES (64 * 1024)

/* inc eax; jmp back, in real mode */
static const uint8_t guest_code[] = {0x66, 0x40, 0xeb, 0xfc};

static void burn(const struct neighbour *n)
{
	while (!atomic_load_explicit(&n->all->stop, memory_order_relaxed)) {
		for (volatile int i = 0; i < SPINS; i++)
			;
	}
}

/* The guest never exits of its own accord. */
static void run_guest(const struct neighbour *n)
{
	int ret = -EINTR;

	while (ret == -EINTR && !atomic_load(&n->all->stop))
		ret = kvm_vp_run(&n->vp);
	if (ret != -EINTR)
		outcome_set(n->all->outcome, OUTCOME_HOST_ERROR, 0,
			    "--noise vm: a neighbour VM ended (KVM_RUN %d, exit reason %u)", ret,
			    n->vp.run->exit_reason);
}

static void *neighbour_thread(void *arg)
{
	struct neighbour *n = arg;
	struct timespec t;

	if (n->in_guest)
		run_guest(n);
	else
		burn(n);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	n->cpu_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return NULL;
}

/* cpus: 0 for a thread that may run anywhere. */
static int start(struct neighbour *n, const uint32_t *cpu, size_t cpus, struct err *e)
{
	pthread_attr_t attr;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	ret = cpus ? host_cpus_bind(&attr, cpu, cpus) : 0;
	if (ret == 0)
		ret = pthread_create(&n->thread, &attr, neighbour_thread, n);
	pthread_attr_destroy(&attr);
	if (ret)
		return err_set(e, ret, "can't start a thread of --noise: %s", strerror(ret));
	n->running = true;
	return 0;
}

int neighbours_burn(struct neighbours *n, const struct burn_spec *s, const struct id_list *near,
		    struct err *e)
{
	struct id_list all = {0};
	const struct id_list *cpus = s->cpus.count ? &s->cpus : near;
	int ret = 0;

	if (cpus->count == 0) {
		ret = host_cpus_allowed(&all, e);
		cpus = &all;
	}
	n->burner = calloc(s->threads, sizeof(*n->burner));
	if (!n->burner)
		ret = err_set(e, ENOMEM, "out of memory for --noise burn");
	for (; ret == 0 && n->burners < s->threads; n->burners++) {
		n->burner[n->burners].all = n;
		ret = start(&n->burner[n->burners], &cpus->id[n->burners % cpus->count], 1, e);
	}
	id_list_fini(&all);
	return ret;
}

static int set_start(struct kvm *k, struct kvm_vp *vp, struct err *e)
{
	struct kvm_regs r = {.rip = GUEST_CODE, .rflags = 2};
	struct kvm_sregs s;
	int ret = kvm_vp_get_sregs(k, vp, &s, e);

	if (ret)
		return ret;
	s.cs.base = 0;
	s.cs.selector = 0;
	ret = kvm_vp_set_sregs(k, vp, &s, e);
	return ret ? ret : kvm_vp_set_regs(k, vp, &r, e);
}

/* Without interrupt controllers: so all VPs run at once, and none needs a SIPI. */
static int create_vm(struct neighbour_vm *vm, struct err *e)
{
	int ret = kvm_open(&vm->kvm, e);

	if (ret == 0)
		ret = kvm_create_vm(&vm->kvm, e);
	if (ret == 0)
		ret = mem_init(&vm->mem, GUEST_BYTES, e);
	if (ret == 0)
		ret = kvm_set_memory(&vm->kvm, 0, vm->mem.region[0].base, vm->mem.size_bytes,
				     vm->mem.region[0].host, e);
	return ret ? ret : mem_write(&vm->mem, gpa(GUEST_CODE), guest_code, sizeof(guest_code));
}

static int run_vm(struct neighbours *n, struct neighbour_vm *vm, uint32_t vps,
		  const struct id_list *near, struct err *e)
{
	int ret = create_vm(vm, e);

	vm->vp = calloc(vps, sizeof(*vm->vp));
	if (!vm->vp && ret == 0)
		ret = err_set(e, ENOMEM, "out of memory for --noise vm");
	for (; ret == 0 && vm->vps < vps; vm->vps++) {
		struct neighbour *vp = &vm->vp[vm->vps];

		*vp = (struct neighbour){.all = n, .in_guest = true};
		ret = kvm_vp_create(&vm->kvm, vm->vps, &vp->vp, e);
		if (ret == 0)
			ret = set_start(&vm->kvm, &vp->vp, e);
		if (ret == 0)
			ret = start(vp, near->id, near->count, e);
	}
	return ret;
}

int neighbours_run_vms(struct neighbours *n, const struct neighbour_spec *s,
		       const struct id_list *near, struct err *e)
{
	int ret = 0;

	n->vm = calloc(s->count, sizeof(*n->vm));
	if (!n->vm)
		return err_set(e, ENOMEM, "out of memory for --noise vm");
	for (; ret == 0 && n->vms < s->count; n->vms++)
		ret = run_vm(n, &n->vm[n->vms], (uint32_t)s->cpus, near, e);
	return ret;
}

static uint64_t stop(struct neighbour *n)
{
	if (n->running) {
		if (n->in_guest)
			vp_kick_thread(&n->vp, n->thread);
		pthread_join(n->thread, NULL);
	}
	n->running = false;
	return n->cpu_ns;
}

uint64_t neighbours_stop(struct neighbours *n)
{
	uint64_t cpu_ns = 0;

	atomic_store(&n->stop, true);
	for (uint32_t i = 0; i < n->burners; i++)
		cpu_ns += stop(&n->burner[i]);
	for (uint32_t i = 0; i < n->vms; i++) {
		for (uint32_t k = 0; k < n->vm[i].vps; k++)
			cpu_ns += stop(&n->vm[i].vp[k]);
	}
	return cpu_ns;
}

void neighbours_fini(struct neighbours *n)
{
	neighbours_stop(n);
	for (uint32_t i = 0; i < n->vms; i++) {
		struct neighbour_vm *vm = &n->vm[i];

		for (uint32_t k = 0; k < vm->vps; k++)
			kvm_vp_close(&vm->kvm, &vm->vp[k].vp);
		kvm_close(&vm->kvm);
		mem_fini(&vm->mem);
		free(vm->vp);
	}
	free(n->vm);
	free(n->burner);
	*n = (struct neighbours){0};
}
