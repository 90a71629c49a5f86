/* SPDX-License-Identifier: MIT */
/* Facts about this host that decide which cells of a measurement it can run. */
#include "bench/host_facts.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vmm/kvm.h"

static long max_vps(void)
{
	long max = 0;
	struct err e;
	struct kvm k;

	if (kvm_open(&k, &e) == 0)
		max = kvm_capability(&k, KVM_CAP_MAX_VCPUS);
	kvm_close(&k);
	return max;
}

static long cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

static const struct {
	const char *name;
	long (*read)(void); /* 0 or less: not known */
} facts[] = {
	{"host.max_vps", max_vps},
	{"host.cpus", cpus},
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
		return value > 0 ? text : NULL;
	}
	return NULL;
}
