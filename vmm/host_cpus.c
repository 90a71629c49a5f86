/* SPDX-License-Identifier: MIT */
/* The host's CPUs: which of them this process may use, and threads that are bound to some. */
#include "vmm/host_cpus.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

static int mask_to_list(const cpu_set_t *mask, size_t size_bytes, struct id_list *l, struct err *e)
{
	int ret = 0;

	for (uint32_t cpu = 0; cpu < size_bytes * 8 && ret == 0; cpu++) {
		if (CPU_ISSET_S(cpu, size_bytes, mask))
			ret = id_list_add(l, cpu);
	}
	return ret ? err_set(e, -ret, "can't list this host's CPUs: %s", strerror(-ret)) : 0;
}

int host_cpus_allowed(struct id_list *l, struct err *e)
{
	/* The kernel refuses a mask that is smaller than its own, without saying how large that is. */
	for (uint32_t cpus = 1024; cpus <= HOST_CPU_MAX + 1; cpus *= 2) {
		size_t size_bytes = CPU_ALLOC_SIZE(cpus);
		cpu_set_t *mask = CPU_ALLOC(cpus);
		int ret;

		if (!mask)
			return err_set(e, ENOMEM, "out of memory");
		if (sched_getaffinity(0, size_bytes, mask) == 0) {
			ret = mask_to_list(mask, size_bytes, l, e);
			CPU_FREE(mask);
			return ret;
		}
		ret = errno;
		CPU_FREE(mask);
		if (ret != EINVAL)
			return err_set(e, ret, "can't list this host's CPUs: %s", strerror(ret));
	}
	return err_set(e, E2BIG, "can't list this host's CPUs: more than %d", HOST_CPU_MAX);
}

int host_cpus_check(const struct id_list *cpus, const char *option, struct err *e)
{
	struct id_list allowed = {0};
	char text[ID_LIST_TEXT_SIZE];
	int ret = host_cpus_allowed(&allowed, e);

	for (size_t i = 0; i < cpus->count && ret == 0; i++) {
		if (id_list_has(&allowed, cpus->id[i]))
			continue;
		id_list_text(&allowed, text);
		ret = err_set(e, EINVAL, "%s: this process has no CPU %u: it may run on %s", option,
			      cpus->id[i], text);
	}
	id_list_fini(&allowed);
	return ret;
}

int host_cpus_bind(pthread_attr_t *attr, const uint32_t *cpu, size_t count)
{
	uint32_t max = 0;
	cpu_set_t *mask;
	size_t size_bytes;
	int ret;

	for (size_t i = 0; i < count; i++)
		max = cpu[i] > max ? cpu[i] : max;
	size_bytes = CPU_ALLOC_SIZE(max + 1);
	mask = CPU_ALLOC(max + 1);
	if (!mask)
		return ENOMEM;
	CPU_ZERO_S(size_bytes, mask);
	for (size_t i = 0; i < count; i++)
		CPU_SET_S(cpu[i], size_bytes, mask);
	ret = pthread_attr_setaffinity_np(attr, size_bytes, mask);
	CPU_FREE(mask);
	return ret;
}
