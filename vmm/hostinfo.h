/* SPDX-License-Identifier: MIT */
/* Facts about this host that a measurement needs beside it. */
#ifndef VPUP_VMM_HOSTINFO_H
#define VPUP_VMM_HOSTINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum host_answer { HOST_UNKNOWN, HOST_NO, HOST_YES };

/* A KVM capability by name ("KVM_CAP_HYPERV") and what KVM_CHECK_EXTENSION gave. */
struct host_cap {
	const char *name;
	int64_t value;
};

/* What the caller has to say, as it takes ioctls or a measurement. Pointers must live on. */
struct hostinfo_given {
	const struct host_cap *cap;
	size_t caps;
	uint64_t tsc_khz;          /* 0: not known */
	enum host_answer emulated; /* guest instructions are emulated; unknown: by the KVM module */
};

/* Strings are "" where the fact is not known. */
struct hostinfo {
	struct hostinfo_given given;
	char kernel[65];     /* release, as in uname -r */
	char cpu_model[49];  /* CPUID brand string */
	char kvm_module[32]; /* kvm_amd, kvm_intel, kvm_pvm */
	char hypervisor[13]; /* signature of the hypervisor that this host runs under */
	bool is_guest;       /* this host is itself a virtual machine */
	enum host_answer emulated;
	uint32_t cpus_online;
	uint64_t memory_mib;
	bool have_load;
	double load[3]; /* over 1, 5 and 15 minutes */
};

/* Cannot fail: what can't be found out stays unknown. */
void hostinfo_collect(struct hostinfo *h, const struct hostinfo_given *given);

/*
 * The vendor half of KVM that serves this host: the one module under dir ("/sys/module") that the
 * CPU can carry. NULL when there is none, or more than one, as built-in ones are always there.
 */
const char *hostinfo_kvm_module(const char *dir, bool cpu_has_svm, bool cpu_has_vmx);

#endif
