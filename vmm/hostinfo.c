/* SPDX-License-Identifier: MIT */
/* Collects facts about this host from CPUID, sysfs and libc. */
#include "vmm/hostinfo.h"

#include <cpuid.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CPUID_HYPERVISOR    0x40000000u
#define CPUID_EXT_MAX       0x80000000u
#define CPUID_EXT_FEATURES  0x80000001u
#define CPUID_BRAND_FIRST   0x80000002u
#define CPUID_BRAND_LAST    0x80000004u
#define CPUID_1_ECX_VMX     (1u << 5)
#define CPUID_1_ECX_GUEST   (1u << 31)
#define CPUID_EXT_1_ECX_SVM (1u << 2)

struct cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

static struct cpuid_regs cpuid_get(uint32_t leaf)
{
	struct cpuid_regs r;

	__cpuid(leaf, r.eax, r.ebx, r.ecx, r.edx);
	return r;
}

/* Drops blanks at both ends and whatever is not plain text: it goes into JSON and on terminals. */
static void text_clean(char *s)
{
	size_t n = 0;

	for (const char *p = s; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (!isprint(c) || c >= 0x80)
			continue;
		if (c != ' ' || n)
			s[n++] = (char)c;
	}
	while (n && s[n - 1] == ' ')
		n--;
	s[n] = '\0';
}

static void collect_cpu_model(struct hostinfo *h)
{
	size_t used = 0;

	if (cpuid_get(CPUID_EXT_MAX).eax < CPUID_BRAND_LAST)
		return;
	for (uint32_t leaf = CPUID_BRAND_FIRST; leaf <= CPUID_BRAND_LAST; leaf++) {
		struct cpuid_regs r = cpuid_get(leaf);

		memcpy(h->cpu_model + used, &r, sizeof(r));
		used += sizeof(r);
	}
	h->cpu_model[used] = '\0';
	text_clean(h->cpu_model);
}

static void collect_hypervisor(struct hostinfo *h)
{
	struct cpuid_regs r;

	h->is_guest = cpuid_get(1).ecx & CPUID_1_ECX_GUEST;
	if (!h->is_guest)
		return;
	r = cpuid_get(CPUID_HYPERVISOR);
	memcpy(h->hypervisor, &r.ebx, 4);
	memcpy(h->hypervisor + 4, &r.ecx, 4);
	memcpy(h->hypervisor + 8, &r.edx, 4);
	h->hypervisor[12] = '\0';
	text_clean(h->hypervisor);
}

const char *hostinfo_kvm_module(const char *dir, bool cpu_has_svm, bool cpu_has_vmx)
{
	const struct {
		const char *name;
		bool cpu_can;
	} module[] = {
		{"kvm_amd", cpu_has_svm},
		{"kvm_intel", cpu_has_vmx},
		{"kvm_pvm", true},
	};
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(module) / sizeof(module[0]); i++) {
		struct stat st;
		char path[256];
		int len = snprintf(path, sizeof(path), "%s/%s", dir, module[i].name);

		if (!module[i].cpu_can || len < 0 || (size_t)len >= sizeof(path) || stat(path, &st))
			continue;
		if (found)
			return NULL;
		found = module[i].name;
	}
	return found;
}

static void collect_kvm(struct hostinfo *h)
{
	bool has_svm = cpuid_get(CPUID_EXT_MAX).eax >= CPUID_EXT_FEATURES &&
		       cpuid_get(CPUID_EXT_FEATURES).ecx & CPUID_EXT_1_ECX_SVM;
	bool has_vmx = cpuid_get(1).ecx & CPUID_1_ECX_VMX;
	const char *module = hostinfo_kvm_module("/sys/module", has_svm, has_vmx);

	h->emulated = h->given.emulated;
	if (!module)
		return;
	snprintf(h->kvm_module, sizeof(h->kvm_module), "%s", module);
	if (h->emulated == HOST_UNKNOWN) /* kvm_pvm emulates guests that are not written for it */
		h->emulated = strcmp(module, "kvm_pvm") == 0 ? HOST_YES : HOST_NO;
}

void hostinfo_collect(struct hostinfo *h, const struct hostinfo_given *given)
{
	struct utsname uts;
	struct sysinfo si;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*h = (struct hostinfo){.given = *given};
	if (uname(&uts) == 0) {
		snprintf(h->kernel, sizeof(h->kernel), "%s", uts.release);
		text_clean(h->kernel);
	}
	if (cpus > 0)
		h->cpus_online = (uint32_t)cpus;
	if (sysinfo(&si) == 0)
		h->memory_mib = (uint64_t)si.totalram * si.mem_unit >> 20;
	h->have_load = getloadavg(h->load, 3) == 3;
	collect_cpu_model(h);
	collect_hypervisor(h);
	collect_kvm(h);
}
