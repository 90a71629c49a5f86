/* SPDX-License-Identifier: MIT */
/* Facts about this host that decide which cells of a measurement it can run. */
#include "bench/host_facts.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vmm/hv_kernel.h"
#include "vmm/kvm.h"

/* Each of these returns a negative number where it can't be found out. */

static long max_vps(void)
{
	long max = -1;
	struct err e;
	struct kvm k;

	if (kvm_open(&k, &e) == 0)
		max = kvm_capability(&k, KVM_CAP_MAX_VCPUS);
	kvm_close(&k);
	return max;
}

static long kvm_hyperv(void)
{
	long has = -1;
	struct err e;
	struct kvm k;

	if (kvm_open(&k, &e) == 0)
		has = hv_kernel_check(&k, &e) == 0;
	kvm_close(&k);
	return has;
}

static long cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

static const struct {
	const char *name;
	long (*read)(void);
} facts[] = {
	{"host.max_vps", max_vps},
	{"host.cpus", cpus},
	{"host.kvm_hyperv", kvm_hyperv},
};

#define FACTS (sizeof(facts) / sizeof(facts[0]))

bool host_fact_exists(const char *name)
{
	for (size_t i = 0; i < FACTS; i++) {
		if (strcmp(facts[i].name, name) == 0)
			return true;
	}
	return false;
}

const char *host_fact(const char *name, char text[HOST_FACT_TEXT_SIZE])
{
	for (size_t i = 0; i < FACTS; i++) {
		long value;

		if (strcmp(facts[i].name, name) != 0)
			continue;
		value = facts[i].read();
		snprintf(text, HOST_FACT_TEXT_SIZE, "%ld", value);
		return value >= 0 ? text : NULL;
	}
	return NULL;
}
